"""The long runs told as one table, which the end of the run prints and `--soak-table FILE` saves.

The file keeps the rows of tests that did not run this time, each with the date of its own run.
"""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

HEAD = """# The long fault tests

Written by `make soak`: each row is what one run found, on the day it says. A single one, with its rows, is run again by
`.venv/bin/python -m pytest -m soak -s --soak-table docs/soak.md TEST`. What the figures mean is said in
[the notes](../benchmarks/NOTES.md).

| test | done | size | found | time | date |
|---|---|---|---|---|---|
"""
KEY = "figures"
Figures = Callable[[str, str, str], None]


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Figures:
    """Adds a row to the table: what was done, how large it was, what was found."""

    def add(done: str, size: str, found: str) -> None:
        print(f"\n{done}, {size}: {found}")
        request.node.user_properties.append((KEY, (done, size, found)))

    return add


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak-table", type=Path, metavar="FILE", help="save the table of the long runs there")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reports = [r for r in terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
               + terminalreporter.getreports("error")
               if "soak" in getattr(r, "keywords", ()) and (r.when == "call" or r.failed)]       # a file may break
    if not reports:
        return
    rows = {}
    for report in reports:
        rows.setdefault(report.nodeid, []).extend(told(report))
    terminalreporter.section("long runs")
    terminalreporter.write("".join(line for name in sorted(rows) for line in rows[name]))
    if table := config.getoption("--soak-table"):
        save(table, rows)


def told(report: pytest.TestReport) -> Iterator[str]:
    """A row for each figure of a test, one at least; what failed says nothing but that."""
    figures = [value for key, value in report.user_properties if key == KEY]
    if report.failed or not figures:
        figures = [("", "", "FAILED" if report.failed else "passed")]
    for done, size, found in figures:
        cells = (f"`{report.nodeid}`", done, size, found, f"{report.duration:.0f} s", f"{date.today():%Y-%m-%d}")
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |\n"


def save(table: Path, rows: dict[str, list[str]]) -> None:
    """The table holds these rows, and those that it had of other tests, in the order of the tests' names."""
    kept = table.read_text("utf-8").splitlines(keepends=True) if table.exists() else []
    every = dict(rows)
    for line in kept:
        if line.startswith("| `") and (name := line.split("`")[1]) not in rows:
            every.setdefault(name, []).append(line)
    table.write_text(HEAD + "".join(line for name in sorted(every) for line in every[name]), "utf-8")
