"""Texts side by side in rows, as on a GPU, are computed as those one after another, and never otherwise for others."""

from collections.abc import Sequence

import numpy as np
import pytest
from models.invariance import moved, texts

from vouch.adapters.models import forward as forwards
from vouch.adapters.models.attention import Rows, SlotRange, alone, attention_of, in_rows
from vouch.adapters.models.encoder import FixedShapeEncoder, load_encoder
from vouch.adapters.models.passes import Form
from vouch.adapters.models.scorers import judge_scores as judges
from vouch.adapters.models.scorers.cross_encoder import load_cross_encoder
from vouch.adapters.models.scorers.judge import SHIPPED

pytestmark = pytest.mark.model
DTYPES = pytest.mark.parametrize(("dtype", "near"), [("float32", 1e-5), ("bfloat16", 0.04)])


def as_on_a_gpu(form: Form, spans: Sequence[SlotRange], device: str) -> Rows:
    return in_rows(form, spans, device)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (forwards, judges):
        monkeypatch.setattr(module, "attention_of", as_on_a_gpu)


def test_a_gpu_has_rows_and_a_processor_has_none() -> None:
    assert not isinstance(attention_of(Form(33, 64, packed=True), [(0, 5)], "cpu"), Rows)


@DTYPES
def test_no_bit_depends_on_neighbors(rows: None, dtype: str, near: float) -> None:
    encoder = load_encoder(dtype=dtype, device="cpu")
    assert moved(encoder.passages, 1, rounds=2, count=16) == 0
    assert moved(encoder.token_vectors, 4, rounds=1, count=8) == 0


@DTYPES
def test_vectors_are_those_of_texts_one_after_another(
    rows: None, float_encoder: FixedShapeEncoder, dtype: str, near: float
) -> None:
    given = texts(5, 24)
    found = load_encoder(dtype=dtype, device="cpu").passages(given)
    assert np.abs(found - float_encoder.passages(given)).max() < near


@DTYPES
def test_a_judge_scores_as_pair_by_pair(monkeypatch: pytest.MonkeyPatch, dtype: str, near: float) -> None:
    pairs = list(zip(texts(5, 12), texts(6, 12), strict=True))
    judge = load_cross_encoder(SHIPPED, dtype, "cpu")
    one_by_one = judge.scores(pairs)
    monkeypatch.setattr(judges, "attention_of", as_on_a_gpu)
    at_once = judge.scores(pairs)
    assert np.abs(np.subtract(at_once, one_by_one)).max() < 5 * near
    assert [judge.scores([pair])[0] for pair in pairs] == at_once


def test_more_texts_than_a_block_holds_have_several() -> None:
    import torch

    form = Form(33, 64, packed=True)
    spans = [(3 * n, 3 * n + 3) for n in range(20)]
    read = torch.randn(64, 3, 2, 4)
    found = in_rows(form, spans, "cpu")
    assert len(found.blocks) == 5
    torch.testing.assert_close(found(read)[:60], alone(spans)(read)[:60])
