"""Drift as people and programs read it: lines of a page, a picture of the indices, JSON."""

from collections.abc import Mapping
from typing import Any

from vouch.learning.drift.drift_look import Drift, Standing
from vouch.learning.drift.stability import SHIFTED, Share, Stability
from vouch.learning.statistics.report import BLUE, INK, PALE, RED, Scale, bar, dot, escaped, line, picture, table, words


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


_LEFT, _WIDTH, _ROW, _TOP = 190, 420, 20, 34       # pixels
_LARGEST = 1.0                          # longer bars are cut there, and say so
_STABLE = 0.1
_x = Scale(0.0, _LARGEST, _LEFT, _LEFT + _WIDTH)


def drift_picture(drift: Drift) -> str:
    """SVG, the most shifted on top; below, of either time, the shares of declines and of votes up."""
    rows = sorted(drift.columns.items(), key=lambda item: (-item[1].psi, item[0]))
    bottom, shapes = _TOP + _ROW * len(rows), list[str]()
    for number, (name, one) in enumerate(rows):
        shapes += _bars(_TOP + number * _ROW, name, one)
    for value in (_STABLE, SHIFTED):
        shapes.append(line([(_x(value), _TOP - 4), (_x(value), bottom)], color=INK, dashed=True))
        shapes.append(words(_x(value), bottom + 16, f"{value:g}", anchor="middle"))
    shares = _shares(drift)
    if shares:
        shapes.append(words(_LEFT, bottom + 44, "Shares; grey: 95 % interval", bold=True))
    for number, (name, share, value) in enumerate(shares):
        shapes += _interval(bottom + 54 + number * _ROW, name, share, value)
    below = 30 + _ROW * len(shares) if shares else 0
    return picture("Population stability index; grey: chance", _LEFT + _WIDTH + 80, bottom + 34 + below, shapes)


def _shares(drift: Drift) -> list[tuple[str, Share, float]]:
    """Those that something is known of, each beside that of the other time, with a name and its value."""
    times = [("now", drift.recent), *([("then", drift.reference)] if drift.reference else [])]
    every = [*((f"declined, {when}", one.declined) for when, one in times),
             *((f"votes up, {when}", one.up) for when, one in times)]
    return [(name, share, value) for name, share in every if (value := share.value) is not None]


def _interval(top: int, name: str, share: Share, value: float) -> list[str]:
    told = f"{name}: {value:.1%} ({share.low:.1%} to {share.high:.1%}) of {share.of:,}"
    return [
        words(_LEFT - 8, top + 13, name, anchor="end"),
        bar(_x(share.low), _x(share.high), top + 3, 13, color=PALE, told=told),
        dot(_x(value), top + 9.5, color=BLUE),
        words(_x(share.high) + 5, top + 13, f"{value:.1%}"),
    ]


def _bars(top: int, name: str, one: Stability) -> list[str]:
    told = f"{one.psi:.2f}" + (" …" if one.psi > _LARGEST else "")
    return [
        words(_LEFT - 8, top + 13, name, anchor="end"),
        bar(_x(0), _x(one.noise), top + 3, 13, color=PALE, told=f"chance: {one.noise:.2f}"),
        bar(_x(0), _x(one.psi), top + 6, 7, color=RED if one.shifted else BLUE, told=f"{name}: {one.psi:.2f}"),
        words(_x(one.psi) + 5, top + 13, told),
    ]


def drift_row(drift: Drift) -> dict[str, Any]:
    """As JSON; the most shifted number first."""
    columns = sorted(drift.columns.items(), key=lambda item: (-item[1].psi, item[0]))
    return {
        "recent": _standing_row(drift.recent),
        "reference": None if drift.reference is None else _standing_row(drift.reference),
        "why_not": drift.why_not,
        "columns": [
            {"name": name, "psi": round(column.psi, 4), "noise": round(column.noise, 4), "shifted": column.shifted}
            for name, column in columns
        ],
    }


def _standing_row(standing: Standing) -> dict[str, Any]:
    return {
        "what": standing.period.what, "from": standing.period.since.isoformat(),
        "until": standing.period.until.isoformat(), "declined": _share_row(standing.declined),
        "up": _share_row(standing.up),
    }  # fmt: skip


def _share_row(share: Share) -> dict[str, Any]:
    return {"count": share.count, "of": share.of, "low": round(share.low, 4), "high": round(share.high, 4)}
