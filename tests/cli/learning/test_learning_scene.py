"""What the demo says that a promotion changed."""

import pytest

from cli.demos import learning_scene
from cli.demos.learning_scene import moved


def test_passages_that_moved_came_or_went() -> None:
    assert moved(["a", "b", "c"], ["b", "a", "d"]) == [
        ("1", "2", "b"), ("2", "1", "a"), ("3", "-", "d"), ("-", "3", "c"),
    ]  # fmt: skip
    assert moved([], []) == []


def test_it_tells_how_many_questions_changed_and_one_whose_first_passage_did(
    capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"question": name} for name in ("same", "second", "first")]
    before = [["a", "b"], ["a", "b", "c"], ["x", "y"]]
    learning_scene._tell_changed(rows, before, [["a", "b"], ["a", "c", "b"], ["y", "x"]])
    told = capsys.readouterr().out
    assert "for 2 of 3 questions" in told and "For example: first" in told and "second" not in told
    learning_scene._tell_changed(rows, before, before)
    told = capsys.readouterr().out
    assert "for 0 of 3 questions" in told and "For example" not in told
