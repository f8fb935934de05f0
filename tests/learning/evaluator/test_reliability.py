"""Reliability and risk–coverage: figures that are known beforehand, and the pictures and page made of them."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from vouch.learning.collections.golden import GoldenQuestion, Graded
from vouch.learning.evaluator.evaluation_report import NAMES, evaluation_pictures, figure_rows, markdown
from vouch.learning.evaluator.evaluator_figures import POINTS, reliability, risk_coverage, sureness


def test_each_bin_tells_how_often_what_is_in_it_was_right() -> None:
    rows = reliability([True, False, True, True], [0.12, 0.18, 0.95, 1.0])
    assert [(row["from"], row["count"], row["probability"], row["right"]) for row in rows] == [
        (0.1, 2, 0.15, 0.5), (0.9, 2, 0.975, 1.0)]
    assert all(row["interval"][0] <= row["right"] <= row["interval"][1] for row in rows)
    assert reliability([], []) == []


def test_probabilities_that_hold_lie_on_the_diagonal() -> None:
    draw = np.random.default_rng(1)
    given = draw.random(20_000)
    rows = reliability((draw.random(20_000) < given).tolist(), given.tolist())
    assert len(rows) == 10 and all(abs(row["right"] - row["probability"]) < 0.04 for row in rows)


def test_risk_is_the_share_that_is_wrong_among_the_most_certain() -> None:
    assert risk_coverage([False, True, True, False], [0.1, 0.9, 0.8, 0.2]) == [
        [0.25, 0.0], [0.5, 0.0], [0.75, 0.3333], [1.0, 0.5]]
    assert risk_coverage([True, False], [0.9, 0.8], 4) == [[0.25, 0.0], [0.5, 0.5]]
    assert risk_coverage([], []) == []


def test_what_is_equally_sure_comes_together() -> None:
    assert risk_coverage([True, False, True], [0.5, 0.5, 0.5]) == [[1.0, 0.3333]]


def test_a_long_curve_is_thinned_and_keeps_its_end() -> None:
    points = risk_coverage([True] * 999 + [False], list(np.linspace(1, 0, 1000)))
    assert len(points) <= POINTS and points[-1] == [1.0, 0.001]


def test_of_what_was_declined_nobody_knows_whether_it_was_right() -> None:
    def one(action: Any, quoted: bool, best: float) -> Graded:
        return Graded(GoldenQuestion("q", "Why?", answerable=True), action, quoted, best)

    found = sureness([one("answered", True, 0.9), one("answered_with_caution", False, 0.4),
                      one("declined", False, 0.05), one("declined", False, 0.01)])
    assert found["risk_coverage"] == [[0.25, 0.0], [0.5, 0.5]]
    assert sum(row["count"] for row in found["reliability"]) == 2


REPORT: dict[str, Any] = {
    "name": "answers-20261123T100000", "kind": "answers", "of": "a|b<c>\n.jsonl", "at": "2026-11-23T10:00:00+00:00",
    "figures": {"questions": 3, "stages": {"fused": {"ndcg@10": 0.7, "ndcg@10_interval": [0.6, 0.8]}}},
    "reliability": reliability([True, False], [0.9, 0.4]), "risk_coverage": [[0.5, 0.0], [1.0, 0.5]],
}


def test_there_is_a_picture_of_whatever_was_measured() -> None:
    drawn = evaluation_pictures(REPORT)
    assert {*drawn} == {*NAMES} - {"shares"}        # of what has no stages
    for text in drawn.values():
        assert ElementTree.fromstring(text).tag.endswith("svg") and "nan" not in text
    assert "0.700" in drawn["stages"] and "fused" in drawn["stages"]
    assert evaluation_pictures({"figures": {"n": 1}}) == {}


def test_the_page_has_every_figure_and_no_cell_is_ended_by_a_name() -> None:
    page = markdown(REPORT, [("shows", "stages.svg")])
    assert "| stages, fused, ndcg@10 | 0.7 |" in page and "| stages, fused, ndcg@10_interval | 0.6 to 0.8 |" in page
    assert page.startswith("# answers on a/b‹c> .jsonl\n") and "![shows](stages.svg)" in page
    assert ("questions", "3") in figure_rows(REPORT)


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_the_ends_are_in_the_outer_bins(probability: float) -> None:
    (row,) = reliability([True], [probability])
    assert row["from"] <= probability <= row["to"]
