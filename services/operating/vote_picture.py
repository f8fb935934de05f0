"""A picture of the votes of weeks: ups to the right, downs to the left."""

from collections.abc import Mapping, Sequence
from typing import Any

from vouch.learning.statistics.svg import GREEN, GREY, RED, bar, line, picture, span, words

_LEFT, _WIDE, _ROW, _TOP = 110, 460, 22, 34     # pixels
TITLE = "Votes by week: up to the right, down to the left"


def vote_picture(weeks: Sequence[Mapping[str, Any]]) -> str:
    """SVG, the oldest week on top."""
    scale = span([value for week in weeks for value in (week["up"], -week["down"])] or [1.0], _LEFT, _LEFT + _WIDE)
    shapes, bottom = list[str](), _TOP + _ROW * len(weeks)
    for number, week in enumerate(weeks):
        y = _TOP + number * _ROW
        shapes += [
            words(_LEFT - 8, y + 13, week["from"], anchor="end"),
            bar(scale(0), scale(week["up"]), y + 3, 14, color=GREEN, told=f"{week['up']} up"),
            bar(scale(-week["down"]), scale(0), y + 3, 14, color=RED, told=f"{week['down']} down"),
            words(_LEFT + _WIDE + 8, y + 13, f"{week['up']} up, {week['down']} down", size=11),
        ]
    shapes.append(line([(scale(0), _TOP - 4), (scale(0), bottom)], color=GREY))
    return picture(TITLE, _LEFT + _WIDE + 120, bottom + 12, shapes)
