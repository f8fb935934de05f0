"""Drift as lines of a page: shares with their intervals, and the stability of scores and features."""

from collections.abc import Mapping
from typing import Any

from vouch.learning.statistics.page import escaped, table


def drift_lines(drift: Mapping[str, Any], picture: str) -> list[str]:
    """Markdown of what `drift_row` makes. `picture`: the name of the file with the picture."""
    lines = table(["time", "questions", "declined", "votes", "up"], (
        [one["what"], one["declined"]["of"], _share(one["declined"]), one["up"]["of"], _share(one["up"])]
        for one in (drift["recent"], drift["reference"]) if one is not None))
    if not drift["columns"]:
        return [*lines, "", f"Scores and features were not compared: {escaped(drift['why_not'])}."]
    rows = ([one["name"], f"{one['psi']:.3f}", f"{one['noise']:.3f}", "yes" if one["shifted"] else ""]
            for one in drift["columns"])
    return [*lines, "", f"![Population stability]({picture})", "",
            *table(["score or feature", "stability index", "chance", "shifted"], rows)]


def _share(share: Mapping[str, Any]) -> str:
    if not share["of"]:
        return "none"
    return f"{share['count'] / share['of']:.1%} ({share['low']:.1%} to {share['high']:.1%})"
