"""A change, a question and a vote go through no more files than docs/design.md says."""

import re
from pathlib import Path

import pytest
from walks import walks

DESIGN = Path(__file__).parents[2] / "docs" / "design.md"
SLACK = 3                               # a cache that is warm on one machine and not on another


@pytest.mark.model
def test_nothing_travels_further_than_the_design_says(memory_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_HOME", "set by walks")        # and back to what it was afterwards
    design = DESIGN.read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| (a [a-z ]+) \| (\d+) \| \d+ \| [\d,]+ \|", design, re.MULTILINE))
    found = {name: len(walk.files) for name, walk in walks(memory_folder / "home").items()}
    assert set(told) == set(found)
    for name, files in found.items():
        assert files <= int(told[name]) + SLACK, f"{name} goes through {files} files: fold some, or say so in design.md"
        assert files >= int(told[name]) - 10, f"{name} goes through {files} files only: say so in design.md"
