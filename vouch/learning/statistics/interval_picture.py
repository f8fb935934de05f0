"""A picture of figures with their intervals, a row for each."""

from collections.abc import Sequence

from vouch.learning.statistics.svg import BLUE, GREY, Scale, dot, line, picture, span, words

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
