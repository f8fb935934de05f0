"""What every encoder promises: the Encoder port."""

import numpy as np
import pytest
from models.invariance import moved, texts
from two_world.stand_ins import HashEncoder

from vouch.adapters.models.encoder import load_encoder
from vouch.ports.models import Encoder


@pytest.fixture(scope="module", params=["hashes", pytest.param("fixed shapes", marks=pytest.mark.model)])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return HashEncoder() if request.param == "hashes" else load_encoder()


def test_rows_are_unit_vectors_in_the_order_of_the_texts(encoder: Encoder) -> None:
    given = [text for text in texts(1, 12) if text]
    for encode in (encoder.passages, encoder.questions):
        vectors = encode(given)
        assert vectors.shape == (len(given), encoder.dimensions) and vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        assert np.array_equal(encode(given[::-1])[::-1], vectors)


def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert encoder.passages([]).shape == (0, encoder.dimensions)
    assert encoder.questions([]).shape == (0, encoder.dimensions)


def test_an_empty_text_has_a_finite_vector(encoder: Encoder) -> None:
    assert np.isfinite(encoder.passages(["", " ", "\n"])).all()


def test_numbers_ignore_neighbors_order_and_count(encoder: Encoder) -> None:
    assert moved(encoder.passages, 3, rounds=3, count=16) == 0
    assert moved(encoder.questions, 4, rounds=1, count=8) == 0


def test_the_fingerprint_is_one_line_and_stays(encoder: Encoder) -> None:
    assert encoder.fingerprint and "\n" not in encoder.fingerprint
    assert encoder.fingerprint == encoder.fingerprint
