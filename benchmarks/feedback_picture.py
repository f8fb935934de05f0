"""A line per method over the weeks, as SVG."""

from collections.abc import Mapping, Sequence

WIDE, HIGH, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 60, 40, 150, 40
COLOURS = {"reciprocal ranks": "#57606a", "votes": "#1f6feb", "true labels": "#1a7f37"}


def picture(means: Mapping[str, Sequence[float]]) -> str:
    """`means` are nDCG@10 by method and week, each method with a colour."""
    values = [value for line in means.values() for value in line]
    low, high = min(values) - 0.005, max(values) + 0.005
    weeks = len(next(iter(means.values())))

    def x(week: int) -> float:
        return round(LEFT + (week - 1) / max(weeks - 1, 1) * (WIDE - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(TOP + (high - value) / (high - low) * (HIGH - TOP - BOTTOM), 1)

    shapes = [_text(LEFT, 20, "nDCG@10 on questions that nobody asked, by week", bold=True)]
    for step in range(5):
        value = low + (high - low) * step / 4
        shapes += [f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y(value)}" y2="{y(value)}" stroke="#d0d7de"/>',
                   _text(LEFT - 45, y(value) + 4, f"{value:.3f}")]
    shapes += [_text(x(week) - 4, HIGH - 15, str(week)) for week in range(1, weeks + 1)]
    for name, line in means.items():
        points = " ".join(f"{x(week)},{y(value)}" for week, value in enumerate(line, 1))
        shapes += [f'<polyline points="{points}" fill="none" stroke="{COLOURS[name]}" stroke-width="2.5"/>',
                   _text(WIDE - RIGHT + 8, y(line[-1]) + 4, name, COLOURS[name])]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" '
        'font-family="sans-serif" role="img" aria-label="nDCG@10 by week">',
        f'<rect width="{WIDE}" height="{HIGH}" fill="#ffffff"/>', *shapes, "</svg>", "",
    ])


def _text(x: float, y: float, words: str, colour: str = "#24292f", *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="13" fill="{colour}"{weight}>{words}</text>'
