"""The weekly report as a page."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$:@-])")


def page(gaps: Mapping[str, Any], drift: Mapping[str, Any] | None = None, picture: str = "") -> str:
    """Markdown. `picture` is the name of the file with the picture of the drift, of which an owner is told nothing."""
    whose = f" near documents of {escaped(gaps['owner'])}" if gaps["owner"] else ""
    return "\n".join([
        f"# Gaps{whose} until {gaps['until'][:10]}", "",
        f"What at least {gaps['fewest_askers']} people asked in vain since {gaps['from'][:10]}. "
        f"Documents are named as far as these may read them: {escaped(', '.join(gaps['readers']))}.", "",
        *_gaps(gaps["gaps"], gaps["fewest_askers"]), "",
        *(["## Drift", "", *_drift(drift, picture), ""] if drift is not None else []),
    ])  # fmt: skip


def _gaps(rows: Sequence[Mapping[str, Any]], fewest: int) -> list[str]:
    if not rows:
        return ["There are none."]
    few = f"under {fewest} askers"
    lines = _table(
        ["gap", "questions", "askers", "before", "why", "nearest documents"],
        ([", ".join(row["title"]), row["questions"], row["askers"], few if row["before"] is None else row["before"],
          ", ".join(f"{number} {why}" for why, number in row["why"].items()),
          ", ".join(map(_document, row["documents"]))] for row in rows),
    )  # fmt: skip
    return [*lines, *_asked("Asked in the same words by as many:", rows, "examples"),
            *_asked("Examples, by askers who allow it:", rows, "allowed_examples")]


def _document(one: Mapping[str, Any]) -> str:
    owners = f" ({', '.join(one['owners'])})" if one["owners"] else ""
    return f"{one['source']}:{one['path']}{owners}"


def _asked(heading: str, rows: Sequence[Mapping[str, Any]], kind: str) -> list[str]:
    asked = [f"- {escaped(example)}" for row in rows for example in row[kind]]
    return ["", heading, "", *asked] if asked else []


def _drift(drift: Mapping[str, Any], picture: str) -> list[str]:
    lines = _table(["time", "questions", "declined", "votes", "up"], (
        [one["what"], one["declined"]["of"], _share(one["declined"]), one["up"]["of"], _share(one["up"])]
        for one in (drift["recent"], drift["reference"]) if one is not None))
    if not drift["columns"]:
        return [*lines, "", f"Scores and features were not compared: {escaped(drift['why_not'])}."]
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
    return [*head, *("| " + " | ".join(escaped(str(cell)) for cell in row) + " |" for row in rows)]


def escaped(text: str) -> str:
    """As it stands: no mark of it does anything, and none makes a viewer fetch something."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
