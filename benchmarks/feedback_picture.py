"""A line per method over the weeks, as SVG."""

from collections.abc import Mapping, Sequence

from vouch.learning.statistics.svg import BLUE, GREEN, GREY, PALE, Scale, line, picture, words

WIDE, HIGH, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 60, 40, 150, 40
COLORS = {"reciprocal ranks": GREY, "votes": BLUE, "true labels": GREEN}


def weeks_picture(means: Mapping[str, Sequence[float]]) -> str:
    """`means` are nDCG@10 by method and week, each method with a color."""
    values = [value for row in means.values() for value in row]
    low, high = min(values) - 0.005, max(values) + 0.005
    weeks = len(next(iter(means.values())))
    x, y = Scale(1, weeks, LEFT, WIDE - RIGHT), Scale(low, high, HIGH - BOTTOM, TOP)
    shapes = []
    for value in (low + (high - low) * step / 4 for step in range(5)):
        shapes += [line([(LEFT, y(value)), (WIDE - RIGHT, y(value))], color=PALE),
                   words(LEFT - 8, y(value) + 4, f"{value:.3f}", anchor="end")]
    shapes += [words(x(week), HIGH - 15, str(week), anchor="middle") for week in range(1, weeks + 1)]
    for name, row in means.items():
        points = [(x(week), y(value)) for week, value in enumerate(row, 1)]
        shapes += [line(points, color=COLORS[name], width=2.5),
                   words(WIDE - RIGHT + 8, y(row[-1]) + 4, name, color=COLORS[name])]
    return picture("nDCG@10 on questions that nobody asked, by week", WIDE, HIGH, shapes)
