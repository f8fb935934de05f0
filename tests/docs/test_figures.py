"""docs/benchmarks.md: few tables, commands that exist, and the same figures wherever one is told again."""

import re
from pathlib import Path

import pytest
from running.cli_help import help_of, named_command

ROOT = Path(__file__).parents[2]
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
TOLD_AGAIN = ["README.md", "docs/sizing.md"]


def rows(text: str) -> list[list[str]]:
    """The cells of every row of a table, headers left out."""
    table = re.findall(r"^\|(.*)\|$", re.sub(r"^\|.*\|\n\|[-|]+\|$", "", text, flags=re.MULTILINE), re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in table]


def figures(row: list[str]) -> set[str]:
    return set(re.findall(r"\*\*([^*]*\d[^*]*)\*\*", " ".join(row)))


def command(row: list[str]) -> str | None:
    found = re.search(r"`((?:pytest|python|vouch evaluate|vouch train) [^`]+)`", " ".join(row[1:]))
    return found and found[1]


def measured(page: str) -> dict[str, set[str]]:
    """The figures in bold of each command, which may measure several things."""
    found: dict[str, set[str]] = {}
    for row in rows(page):
        found.setdefault(command(row) or "", set()).update(figures(row))
    return found


MEASURED = measured(BENCHMARKS)


def apart(text: str) -> list[str]:
    """Figures in bold beside a command, that the row of this command in docs/benchmarks.md does not have."""
    told = [(name, one) for row in rows(text) if (name := command(row)) for one in figures(row)]
    return [f"{name}: {one}" for name, one in told if one not in MEASURED.get(name, set())]


def test_five_tables_at_most_and_every_row_is_whole() -> None:
    assert BENCHMARKS.count("\n|---|") <= 5
    assert len(rows(BENCHMARKS)) > 15
    for row in rows(BENCHMARKS):
        figure, _, _, date, size = row
        assert re.search(r"\d", figure + size) and re.fullmatch(r"\d{4}-\d\d-\d\d", date) and size, row
        assert command(row), row


@pytest.mark.parametrize("told", MEASURED)
def test_every_command_exists(told: str) -> None:
    program, *words = told.split()
    if program == "vouch":
        name = named_command(tuple(word for word in words if re.fullmatch("[a-z]+", word)))
        text = help_of(name) or ""
        assert name and [word for word in words if word.startswith("--") and word not in text] == []
    else:
        assert (ROOT / words[0]).exists(), told
        assert "-m soak" not in told or "soak" in (ROOT / words[0]).read_text(encoding="utf-8"), told


@pytest.mark.parametrize("page", TOLD_AGAIN)
def test_a_figure_told_again_is_the_measured_one(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert sum(len(figures(row)) for row in rows(text) if command(row)) >= 3
    assert apart(text) == []


def test_what_learned_fusion_gains_is_the_same_on_both_pages() -> None:
    [row] = [row for row in rows(BENCHMARKS) if "learned_fusion.py" in (command(row) or "")]
    gains = re.findall(r"[+-]\.\d{3}", row[0])
    results = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert len(gains) == 4 and [gain for gain in gains if f"{gain} (" not in results] == []


@pytest.mark.parametrize("page", ["models/fusion.md", "learning/weights.md", "learning/calibration.md",
                                  "learning/guard.md", "learning/README.md"])
def test_what_stands_on_the_page_of_results_stands_there_alone(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    results = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    intervals = re.compile(r"[+-]?\.?\d+ (?:% )?\([+-]?\.?\d+(?: %)? to [^)]+\)")
    assert len(intervals.findall(results)) > 20
    assert intervals.findall(text) == []


def test_a_figure_that_differs_would_be_seen() -> None:
    row = "| x | y |\n|---|---|\n| **{}** of the passages | `pytest tests/flows/versions/test_history.py -s` |"
    assert apart(row.format(".1495")) == []
    assert apart(row.format(".1")) == ["pytest tests/flows/versions/test_history.py -s: .1"]
    assert apart(row.format(".1495").replace("history", "mystery"))
