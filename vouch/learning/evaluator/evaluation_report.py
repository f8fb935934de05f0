"""What is told of an evaluation: a page and pictures. Numbers and names of kinds only.

The pictures: figures with their intervals, by stage or by name; a reliability diagram; a risk–coverage curve.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vouch.learning.statistics.report import (
    BLUE,
    GREY,
    INK,
    PALE,
    Row,
    Scale,
    dot,
    interval_picture,
    line,
    picture,
    words,
)


def figure_rows(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every figure by its path, in words."""
    return list(_flat("", report["figures"]))


def markdown(report: Mapping[str, Any], pictures: Sequence[tuple[str, str]]) -> str:
    """`pictures` are (what it shows, its file)."""
    lines = [
        f"# {_plain(report['kind'])} on {_plain(report['of'])}", "", f"Measured at {report['at'][:16]}.", "",
        *_table(("figure", "value"), figure_rows(report)),
        *_made_with(report.get("made_with") or {}),
        *_binned(report.get("reliability") or ()),
        *(f"![{shows}]({file})\n" for shows, file in pictures),
    ]  # fmt: skip
    return "\n".join(lines).rstrip() + "\n"


def _made_with(told: Mapping[str, Any]) -> list[str]:
    return _table(("made with", ""), list(_flat("", told))) if told else []


def _binned(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    told = [(f"{row['from']:g} to {row['to']:g}", str(row["count"]), f"{row['probability']:.3f}", f"{row['right']:.3f}",
             "{:.3f} to {:.3f}".format(*row["interval"])) for row in rows]
    return _table(("probability", "how many", "mean", "right", "95 % interval"), told)


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _flat(f"{path}, {name}" if path else str(name), part)
    elif isinstance(value, list):
        yield path, " to ".join(_figure(one) for one in value)
    else:
        yield path, _figure(value)


def _figure(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [_row(heads), _row(["---"] * len(heads)), *map(_row, rows), ""]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, cells))} |"


def _plain(text: str) -> str:
    """A name on one line that ends no cell."""
    return " ".join(str(text).split()).replace("|", "/").replace("<", "‹")


STAGES, SHARES, RELIABILITY, RISK = NAMES = ("stages", "shares", "reliability", "risk-coverage")
SHOWS = {
    STAGES: "nDCG@10 after each stage, 95 % interval",
    SHARES: "Shares and means, 95 % interval",
    RELIABILITY: "Reliability: probability, and share that was right",
    RISK: "Risk by coverage: of what is given, how much is wrong",
}
_SIDE, _LEFT, _TOP = 300, 60, 36        # pixels
_MOST = 40                              # rows of a picture
_BY_KIND = ("kinds", "groups")
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_x = Scale(0.0, 1.0, _LEFT, _LEFT + _SIDE)
_y = Scale(0.0, 1.0, _TOP + _SIDE, _TOP)


def evaluation_pictures(report: Mapping[str, Any]) -> dict[str, str]:
    """SVG by name, of what the report holds."""
    pictures = {}
    if stages := report["figures"].get("stages"):
        rows = [(name, *of["ndcg@10_interval"], of["ndcg@10"]) for name, of in stages.items()]
        pictures[STAGES] = interval_picture(SHOWS[STAGES], rows)
    elif shares := list(_intervals("", report["figures"]))[:_MOST]:
        pictures[SHARES] = interval_picture(SHOWS[SHARES], shares)
    if report.get("reliability"):
        pictures[RELIABILITY] = _reliability(report["reliability"])
    if report.get("risk_coverage"):
        pictures[RISK] = _risk(report["risk_coverage"])
    return pictures


def _intervals(path: str, figures: Mapping[str, Any]) -> Iterator[Row]:
    """Every figure that has an interval, by its path, but not those of single kinds."""
    for name, value in figures.items():
        told = f"{path}, {name}" if path else name
        if isinstance(value, Mapping):
            yield from _intervals(told, value) if name not in _BY_KIND else ()
        elif ends := figures.get(f"{name}_interval"):
            yield told, *ends, value


def _reliability(rows: Sequence[Mapping[str, Any]]) -> str:
    shapes = [line([(_x(0), _y(0)), (_x(1), _y(1))], color=GREY, dashed=True)]
    for row in rows:
        x, (low, high) = _x(row["probability"]), row["interval"]
        shapes += [line([(x, _y(low)), (x, _y(high))], color=BLUE, width=3), dot(x, _y(row["right"]), color=BLUE)]
    return _square(SHOWS[RELIABILITY], "probability", shapes)


def _risk(points: Sequence[Sequence[float]]) -> str:
    curve = [(_x(coverage), _y(risk)) for coverage, risk in points]
    return _square(SHOWS[RISK], "coverage", [line(curve, color=BLUE, width=2), dot(*curve[-1], color=BLUE)])


def _square(title: str, across: str, shapes: Sequence[str]) -> str:
    """Both axes from 0 to 1."""
    grid = []
    for tick in _TICKS:
        grid += [
            line([(_x(0), _y(tick)), (_x(1), _y(tick))], color=PALE), line([(_x(tick), _y(0)), (_x(tick), _y(1))],
                                                                           color=PALE),
            words(_LEFT - 8, _y(tick) + 4, f"{tick:g}", anchor="end"),
            words(_x(tick), _TOP + _SIDE + 16, f"{tick:g}", anchor="middle"),
        ]
    named = words(_LEFT + _SIDE / 2, _TOP + _SIDE + 34, across, anchor="middle", color=INK)
    return picture(title, _LEFT + _SIDE + 60, _TOP + _SIDE + 44, [*grid, *shapes, named])
