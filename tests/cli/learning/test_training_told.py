"""What a training tells of a model that it offers, and of what is missing for one."""

from dataclasses import replace
from typing import Any

import pytest
from learning_scene.labeled_scene import ANALYSER, scene

from cli.learning.train import _say_registered
from vouch.learning.training.retraining import GoldenLists, Least, fit_split, judge
from vouch.learning.training.training_report import markdown
from vouch.learning.training.training_split import split
from vouch.learning.training.weighing import Shares

LEAST = Least(questions=50, held_out=50, askers=5, labels=60, loss=0.01)


@pytest.mark.parametrize(("state", "gain", "told"), [
    ("candidate", -0.002, True), ("candidate", 0.0, True), ("candidate", 0.01, False), ("refused", -0.002, False),
])  # fmt: skip
def test_a_model_that_ranks_no_better_is_offered_with_that_said(
    state: str, gain: float, told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    _say_registered({"name": "fusion-1", "state": state, "reason": "", "new": True, "report": "trainings/fusion-1",
                     "gates": [], "next": [], "figures": {"current": {"gain": gain}}}, None, False)
    assert ("no better than what ranks now" in capsys.readouterr().out) is told


def judged(questions: int, least: Least = LEAST) -> Any:
    material = scene(questions, 2)
    sides = split(material, ANALYSER.terms, Shares(0.2, 0.2, 10.0), public_only=False, weeks=1.0)
    return judge(sides, fit_split(sides, None, seed=0, fingerprints={}), None, least, GoldenLists(), (0, 9))


def test_about_how_many_more_questions_are_needed_is_told() -> None:
    found = judged(60)
    held, fitted = (found.report["questions"][side] for side in ("held_out", "fitted"))
    said = int(found.reason.rpartition("about ")[2].split()[0])
    assert 0.4 * (said + held + fitted) == pytest.approx(50, abs=1) and held / (held + fitted) > 0.4
    assert "more question" not in judged(60, replace(LEAST, questions=1, held_out=1, askers=99)).reason


def test_the_page_counts_its_weights() -> None:
    report = judged(60).report
    rows = len(report["weights"])
    few = {**report, "weights": dict(list(report["weights"].items())[:9])}
    assert "## The weights" in markdown("m", few, [])
    many = {**report, "weights": {f"w{n}": {"before": 0.0, "after": 0.1} for n in range(20)}}
    assert rows and "## The 12 of 20 weights that changed most" in markdown("m", many, [])
