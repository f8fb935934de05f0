"""vouch calibrate tells what it found, and refuses before it has enough."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vouch.errors import NothingToLearn

Vouch = Callable[..., tuple[int, str, str]]


def test_without_labels_it_says_what_is_missing_and_registers_nothing(vouch: Vouch) -> None:
    code, out, err = vouch("calibrate")
    assert code == vouch("train", "fusion")[0] == 2 and "no model is refused" not in out
    assert "nothing is registered: 0 questions have a known outcome" in " ".join(err.split())
    found = json.loads(vouch("calibrate", "--json", VOUCH_CALIBRATION__QUESTIONS="70")[1])
    assert (found["name"], found["state"]) == (None, "refused") and "at least 70 are needed" in found["reason"]
    assert vouch("models", "list", "--json")[1] == ""


def test_a_file_that_is_none_and_a_wrong_reader_are_refused(vouch: Vouch, tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl"
    file.write_text("no JSON\n")
    assert vouch("calibrate", "--questions", file)[0] == 5
    code, _, err = vouch("calibrate", "--reader", "staff")
    assert code == 2 and "CORPUS=TAG" in err
    code, _, err = vouch("calibrate", "--reader", "hr=group:staff")
    assert code == 2 and "--reader belongs to --questions" in err


@pytest.mark.parametrize("words", [("calibrate",), ("train", "fusion"), (
    "train", "fusion", "--questions", "known.jsonl", "--out", "fusion.json")])
def test_golden_questions_that_are_not_there_are_told_first_with_their_setting(
    vouch: Vouch, words: tuple[str, ...]
) -> None:
    """Before all searches, and so before what else is missing."""
    code, out, err = vouch(*words, VOUCH_TRAINING__GOLDEN="/no/golden.jsonl")
    assert code == 5 and out == "" and "VOUCH_TRAINING__GOLDEN: /no/golden.jsonl" in err, err


@pytest.mark.parametrize(("words", "work"), [
    (("calibrate",), "calibrate_evaluator"), (("train", "fusion"), "train_from_labels"),
])
def test_in_a_pipe_it_tells_how_far_it_is_on_standard_error(
    vouch: Vouch, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], work: str
) -> None:
    def told(*given: Any) -> None:
        given[-1]("two worlds", 0, 0)
        raise NothingToLearn("enough", cure="none")

    monkeypatch.setattr(f"cli.wiring.training.fitting.{work}", told)
    assert "two worlds\n" in vouch(*words)[2]
    assert "two worlds" not in vouch(*words, "--json")[2]
