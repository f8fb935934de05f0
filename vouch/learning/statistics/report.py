"""Reports: tables and words as Markdown, pictures of figures as SVG."""

import re
from collections.abc import Iterable, Sequence
from html import escape

BLUE, GREEN, RED, GREY, PALE, INK = "#1f6feb", "#1a7f37", "#b5482a", "#57606a", "#d0d7de", "#24292f"
_MARGIN, _TITLE_AT = 10, 17


class Scale:
    """Where values between `low` and `high` lie from `start` to `end`, in pixels; what is beyond lies at the edge."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self._low, self._span, self._start, self._wide = low, (high - low) or 1.0, start, end - start

    def __call__(self, value: float) -> float:
        share = min(max((value - self._low) / self._span, 0.0), 1.0)
        return round(self._start + share * self._wide, 1)


def span(values: Iterable[float], start: float, end: float) -> Scale:
    """A scale that holds all values, and 0."""
    every = (*values, 0.0)
    return Scale(min(every), max(every), start, end)


def picture(title: str, wide: int, high: int, shapes: Sequence[str]) -> str:
    """A whole file: the shapes below a title, on white."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'font-family="sans-serif" role="img" aria-label="{escape(title)}">',
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
        words(_MARGIN, _TITLE_AT, title, size=13, bold=True), *shapes, "</svg>", "",
    ])  # fmt: skip


def words(
    x: float, y: float, text: str, *, size: int = 12, color: str = INK, anchor: str = "start", bold: bool = False
) -> str:
    """`anchor`: which part of the text is at x, start, middle or end."""
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="{color}"{weight}>'
            f"{escape(text)}</text>")


def line(points: Sequence[tuple[float, float]], *, color: str, width: float = 1, dashed: bool = False) -> str:
    """Through all points."""
    dash = ' stroke-dasharray="3"' if dashed else ""
    told = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline points="{told}" fill="none" stroke="{color}" stroke-width="{width}"{dash}/>'


def bar(start: float, end: float, y: float, high: float, *, color: str, told: str = "") -> str:
    """Between two places of which either may be the left one; `told` is said where one points at it."""
    left, right = sorted((start, end))
    return (f'<rect x="{left}" y="{y}" width="{round(right - left, 1)}" height="{high}" fill="{color}">'
            f"<title>{escape(told)}</title></rect>")


def dot(x: float, y: float, *, color: str) -> str:
    return f'<circle cx="{x}" cy="{y}" r="5" fill="{color}"/>'


WIDE, ROW, LEFT, RIGHT = 720, 26, 250, 40
Row = tuple[str, float, float, float]       # name, low end, high end, figure


def interval_picture(title: str, rows: Sequence[Row], told: str = "{:.3f}") -> str:
    """SVG, with a line at 0; `told` is how a figure is written."""
    scale = row_scale([value for _, *values in rows for value in values])
    shapes = []
    for y, (name, low, high, figure) in zip(range(2 * ROW, 10_000, ROW), rows, strict=False):
        shapes += [
            row_name(name, y), line([(scale(low), y), (scale(high), y)], color=BLUE, width=3),
            dot(scale(figure), y, color=BLUE), words(scale(high) + 6, y - 7, told.format(figure), size=11),
        ]
    return drawn_rows(title, shapes, len(rows), scale)


def row_scale(values: Sequence[float]) -> Scale:
    return span(values, LEFT, WIDE - RIGHT)


def row_name(name: str, y: float) -> str:
    return words(LEFT - 10, y + 4, name, anchor="end")


def drawn_rows(title: str, shapes: Sequence[str], rows: int, scale: Scale) -> str:
    """The shapes of so many rows, with a line at 0."""
    high = ROW * (rows + 2)
    return picture(title, WIDE, high, [line([(scale(0.0), ROW), (scale(0.0), high - 8)], color=GREY), *shapes])


_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$:@-])")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    head = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return [*head, *("| " + " | ".join(escaped(str(cell)) for cell in row) + " |" for row in rows)]


def escaped(text: str) -> str:
    """As it stands: no mark of it does anything, and none makes a viewer fetch something."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
