"""The pages are read in a terminal too."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / "docs", ROOT / "benchmarks"]
PAGES = ["README.md", "CONTRIBUTING.md",
         *sorted(str(path.relative_to(ROOT)) for folder in FOLDERS for path in folder.rglob("*.md"))]


def too_long(text: str) -> list[int]:
    """Numbers of lines; a row of a table cannot be broken."""
    lines = enumerate(text.split("\n"), 1)
    return [number for number, line in lines if len(line) > 120 and not line.lstrip().startswith("|")]


@pytest.mark.parametrize("page", PAGES)
def test_no_line_is_longer_than_120(page: str) -> None:
    assert too_long((ROOT / page).read_text(encoding="utf-8")) == []


def test_a_long_line_is_found_and_a_row_is_none() -> None:
    assert too_long("x" * 120 + "\n" + "x" * 121 + "\n| " + "x" * 121) == [2]
