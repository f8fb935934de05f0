"""On a GPU, too, no bit of a vector or a score depends on what is computed beside it."""

import random

import numpy as np
import pytest
from models.invariance import moved, texts

from vouch.adapters.models.encoder import load_encoder
from vouch.adapters.models.scorers.cross_encoder import load_cross_encoder
from vouch.adapters.models.scorers.judge import SHIPPED

pytestmark = pytest.mark.model


@pytest.fixture(autouse=True)
def gpu() -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_vectors_ignore_their_neighbors(dtype: str) -> None:
    encoder = load_encoder(None, dtype, "cuda")
    assert moved(encoder.passages, 1, rounds=6) == 0
    assert moved(encoder.token_vectors, 4, rounds=3, count=20) == 0


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_scores_ignore_their_neighbors(dtype: str) -> None:
    judge, draw = load_cross_encoder(SHIPPED, dtype, "cuda"), random.Random(5)
    pairs = [("how long is sick leave?", text) for text in texts(17, 60)]
    first = judge.scores(pairs)
    for _ in range(4):
        some = draw.choices(range(len(pairs)), k=draw.choice((1, 3, 20, 60)))
        assert judge.scores([pairs[i] for i in some]) == [first[i] for i in some]


def test_numbers_are_near_those_of_a_processor() -> None:
    given = texts(3, 20)
    ours, theirs = (load_encoder(None, "float32", device).passages(given) for device in ("cuda", "cpu"))
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), atol=1e-4)
