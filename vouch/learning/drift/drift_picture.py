"""A picture of the stability indices: a bar for each, with what chance gives, and the line of a shift."""

from collections.abc import Mapping

from vouch.learning.drift.stability import SHIFTED, Stability
from vouch.learning.statistics.svg import BLUE, INK, PALE, RED, Scale, bar, line, picture, words

_LEFT, _WIDTH, _ROW, _TOP = 190, 420, 20, 34       # pixels
_LARGEST = 1.0                          # longer bars are cut there, and say so
_STABLE = 0.1
_x = Scale(0.0, _LARGEST, _LEFT, _LEFT + _WIDTH)


def drift_picture(columns: Mapping[str, Stability]) -> str:
    """SVG, the most shifted on top."""
    rows = sorted(columns.items(), key=lambda item: (-item[1].psi, item[0]))
    bottom, shapes = _TOP + _ROW * len(rows), list[str]()
    for number, (name, one) in enumerate(rows):
        shapes += _bars(_TOP + number * _ROW, name, one)
    for value in (_STABLE, SHIFTED):
        shapes.append(line([(_x(value), _TOP - 4), (_x(value), bottom)], color=INK, dashed=True))
        shapes.append(words(_x(value), bottom + 16, f"{value:g}", anchor="middle"))
    return picture("Population stability index; grey: chance", _LEFT + _WIDTH + 80, bottom + 34, shapes)


def _bars(top: int, name: str, one: Stability) -> list[str]:
    told = f"{one.psi:.2f}" + (" …" if one.psi > _LARGEST else "")
    return [
        words(_LEFT - 8, top + 13, name, anchor="end"),
        bar(_x(0), _x(one.noise), top + 3, 13, color=PALE, told=f"chance: {one.noise:.2f}"),
        bar(_x(0), _x(one.psi), top + 6, 7, color=RED if one.shifted else BLUE, told=f"{name}: {one.psi:.2f}"),
        words(_x(one.psi) + 5, top + 13, told),
    ]
