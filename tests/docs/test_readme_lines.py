"""The README is read in a terminal too."""

from pathlib import Path


def test_no_line_is_longer_than_120() -> None:
    lines = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split("\n")
    assert [number for number, line in enumerate(lines, 1) if len(line) > 120] == []
