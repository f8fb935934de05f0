"""The weekly report as a page."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$:@-])")


def page(gaps: Mapping[str, Any], drift: Mapping[str, Any], picture: str) -> str:
    """Markdown. `picture` is the name of the file with the picture of the drift."""
    return "\n".join([
        f"# Gaps until {gaps['until'][:10]}", "",
        f"What at least {gaps['fewest_askers']} people asked in vain since {gaps['from'][:10]}. "
        f"Documents are named as far as these may read them: {_plain(', '.join(gaps['readers']))}.", "",
        *_gaps(gaps["gaps"], gaps["fewest_askers"]), "", "## Drift", "", *_drift(drift, picture), "",
    ])  # fmt: skip


def _gaps(rows: Sequence[Mapping[str, Any]], fewest: int) -> list[str]:
    if not rows:
        return ["There are none."]
    few = f"under {fewest} askers"
    lines = _table(
        ["gap", "questions", "askers", "before", "why", "nearest documents"],
        ([", ".join(row["title"]), row["questions"], row["askers"], few if row["before"] is None else row["before"],
          ", ".join(f"{number} {why}" for why, number in row["why"].items()),
          ", ".join(f"{one['source']}:{one['path']}" for one in row["documents"])] for row in rows),
    )  # fmt: skip
    asked = [f"- {_plain(example)}" for row in rows for example in row["examples"]]
    return [*lines, *(["", "Asked in the same words by as many:", "", *asked] if asked else [])]


def _drift(drift: Mapping[str, Any], picture: str) -> list[str]:
    lines = _table(["time", "questions", "declined", "votes", "up"], (
        [one["what"], one["declined"]["of"], _share(one["declined"]), one["up"]["of"], _share(one["up"])]
        for one in (drift["recent"], drift["reference"]) if one is not None))
    if not drift["columns"]:
        return [*lines, "", f"Scores and features were not compared: {_plain(drift['why_not'])}."]
    rows = ([one["name"], f"{one['psi']:.3f}", f"{one['noise']:.3f}", "yes" if one["shifted"] else ""]
            for one in drift["columns"])
    return [*lines, "", f"![Population stability]({picture})", "",
            *_table(["score or feature", "stability index", "chance", "shifted"], rows)]


def _share(share: Mapping[str, Any]) -> str:
    if not share["of"]:
        return "none"
    return f"{share['count'] / share['of']:.1%} ({share['low']:.1%} to {share['high']:.1%})"


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    head = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return [*head, *("| " + " | ".join(_plain(str(cell)) for cell in row) + " |" for row in rows)]


def _plain(text: str) -> str:
    """As it stands: no mark of it does anything, and none makes a viewer fetch something."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
