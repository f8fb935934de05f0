"""vouch search --explain: each product can be followed to the total, and nothing is explained that ordered nothing."""

import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from cli.asking.search import _why
from vouch.ports.index import Contribution
from vouch.retrieval.fusion_features import FEATURE_NAMES

Vouch = Callable[..., tuple[int, str, str]]
_PAGE = Path(__file__).parents[3] / "docs/models/fusion.md"
_FIRST_CELL = re.compile(r"^\| (`[^|]+`) \|", re.MULTILINE)
_NAME = re.compile(r"`([a-z0-9_]+)`")


def told(rerank: float | None, *parts: Contribution) -> list[str]:
    result: dict[str, Any] = {"scores": {"rerank": rerank, "fused": 0.0}, "why": [asdict(part) for part in parts]}
    return _why(result)


def test_each_product_is_told_with_what_it_is_made_of_and_the_total() -> None:
    lines = told(None, Contribution("bm25_share", 0.75, 0.5, 0.2, 0.25, 0.2), Contribution("sem_gap", 9.0, -0.3, -0.1,
                 0.0, 1.0), Contribution("chunk_len", 1.0, 0.0, 0.0, 1.0, 1.0))
    assert lines == [
        "  +0.5000  bm25_share = 0.75, mean 0.25, deviation 0.2, weight 0.2",
        "  -0.3000  sem_gap = 9, mean 0, deviation 1, weight -0.1, counted as 3 deviations",
        "   0.2000  total: the fused score",
    ]


def test_ranks_have_no_weights_and_the_rerankers_score_is_told() -> None:
    assert told(0.25, Contribution("bm25_rank", 1, 1 / 61)) == [
        "   0.2500  score of the reranker", "  +0.0164  bm25_rank = 1", "   0.0164  total: the fused score"]


@pytest.mark.parametrize("mode", ["lexical", "dense"])
def test_what_orders_nothing_is_not_explained(vouch: Vouch, mode: str) -> None:
    code, out, err = vouch("search", "leave", "--explain", "--mode", mode)
    assert (code, out) == (2, "") and f"--mode {mode} does not order by it" in err and "--mode reranked" in err


def test_every_feature_stands_in_the_table() -> None:
    listed = _NAME.findall(" ".join(_FIRST_CELL.findall(_PAGE.read_text(encoding="utf-8"))))
    assert sorted(listed) == sorted(FEATURE_NAMES)
