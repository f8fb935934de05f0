"""The weekly report as a page."""

from collections.abc import Mapping, Sequence
from typing import Any

from vouch.learning.drift.drift_page import drift_lines
from vouch.learning.statistics.page import escaped, table


def page(gaps: Mapping[str, Any], drift: Mapping[str, Any] | None = None, picture: str = "") -> str:
    """Markdown. `picture` is the name of the file with the picture of the drift, of which an owner is told nothing."""
    whose = f" near documents of {escaped(gaps['owner'])}" if gaps["owner"] else ""
    return "\n".join([
        f"# Gaps{whose} until {gaps['until'][:10]}", "",
        f"What at least {gaps['fewest_askers']} people asked in vain since {gaps['from'][:10]}. "
        f"Documents are named as far as these may read them: {escaped(', '.join(gaps['readers']))}.", "",
        *_gaps(gaps["gaps"], gaps["fewest_askers"]), "",
        *(["## Drift", "", *drift_lines(drift, picture), ""] if drift is not None else []),
    ])  # fmt: skip


def _gaps(rows: Sequence[Mapping[str, Any]], fewest: int) -> list[str]:
    if not rows:
        return ["There are none."]
    few = f"under {fewest} askers"
    lines = table(
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
