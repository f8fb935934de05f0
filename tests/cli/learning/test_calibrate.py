"""vouch calibrate tells what it found, and refuses before it has enough."""

import json
from collections.abc import Callable
from pathlib import Path

Vouch = Callable[..., tuple[int, str, str]]


def test_without_labels_it_says_what_is_missing_and_registers_nothing(vouch: Vouch) -> None:
    code, out, _ = vouch("calibrate")
    assert code == 0 and "no model is refused" not in out
    assert "nothing is registered: 0 questions have a known outcome" in " ".join(out.split())
    found = json.loads(vouch("calibrate", "--json", VOUCH_CALIBRATION__QUESTIONS="70")[1])
    assert (found["name"], found["state"]) == (None, "refused") and "at least 70 are needed" in found["reason"]
    assert vouch("models", "list", "--json")[1] == ""


def test_a_file_that_is_none_and_a_wrong_reader_are_refused(vouch: Vouch, tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl"
    file.write_text("no JSON\n")
    assert vouch("calibrate", "--questions", file)[0] == 5
    code, _, err = vouch("calibrate", "--reader", "staff")
    assert code == 2 and "CORPUS=TAG" in err
