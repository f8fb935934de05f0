"""A picture of the stability indices as SVG: a bar for each, with what chance gives, and the line of a shift."""

from collections.abc import Mapping
from html import escape

from vouch.learning.drift.stability import SHIFTED, Stability

_LEFT, _WIDTH, _ROW, _TOP = 190, 420, 20, 34       # pixels
_LARGEST = 1.0                          # longer bars are cut there, and say so
_STABLE = 0.1


def drift_picture(columns: Mapping[str, Stability]) -> str:
    """The most shifted on top. It needs nothing from elsewhere to be shown."""
    rows = sorted(columns.items(), key=lambda item: (-item[1].psi, item[0]))
    bottom = _TOP + _ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 80}" height="{bottom + 34}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="18">Population stability index; grey: chance</text>',
    ]
    for number, (name, one) in enumerate(rows):
        parts += _bar(_TOP + number * _ROW, name, one)
    for value in (_STABLE, SHIFTED):
        at = _x(value)
        parts.append(f'<line x1="{at}" y1="{_TOP - 4}" x2="{at}" y2="{bottom}" stroke="black" stroke-dasharray="3"/>')
        parts.append(f'<text x="{at}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _bar(top: int, name: str, one: Stability) -> list[str]:
    colour = "#b5482a" if one.shifted else "#4a7a9c"
    told = f"{one.psi:.2f}" + (" …" if one.psi > _LARGEST else "")
    return [
        f'<text x="{_LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(name)}</text>',
        f'<rect x="{_LEFT}" y="{top + 3}" width="{_x(one.noise) - _LEFT}" height="13" fill="#cccccc"/>',
        f'<rect x="{_LEFT}" y="{top + 6}" width="{_x(one.psi) - _LEFT}" height="7" fill="{colour}"/>',
        f'<text x="{_x(one.psi) + 5}" y="{top + 13}">{told}</text>',
    ]


def _x(value: float) -> int:
    return _LEFT + round(_WIDTH * min(max(value, 0.0), _LARGEST) / _LARGEST)
