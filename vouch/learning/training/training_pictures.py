"""Pictures of a training as SVG: gains with their intervals, and weights before and after. Numbers and names only."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from vouch.learning.training.training_report import changed

_WIDE, _LINE, _LEFT, _RIGHT = 720, 26, 250, 40
_SHOWN = 20                             # weights
_FEW = {"after": "#1f6feb", "before": "#b6c2cf"}


def pictures(report: Mapping[str, Any]) -> dict[str, str]:
    """By what each shows."""
    return {"gains": _gains(report), "weights": _weights(report)}


def _gains(report: Mapping[str, Any]) -> str:
    rows = [(f"against {rival}", *of["gain_interval"], of["gain"])
            for rival, of in sorted(report["figures"].items()) if "gain_interval" in of]
    scale = _Scale([value for _, *values in rows for value in values])
    shapes = []
    for n, (name, low, high, gain) in enumerate(rows):
        y = _LINE * (n + 2)
        shapes += [
            _text(name, y), f'<line x1="{scale(low)}" x2="{scale(high)}" y1="{y}" y2="{y}" stroke="#1f6feb" '
            f'stroke-width="3"/>', f'<circle cx="{scale(gain)}" cy="{y}" r="5" fill="#1f6feb"/>',
            f'<text x="{scale(high) + 6}" y="{y - 7}" font-size="11">{gain:+.3f}</text>',
        ]
    return _picture("Gain in nDCG@10 on held-out questions, 95 % interval", shapes, len(rows), scale)


def _weights(report: Mapping[str, Any]) -> str:
    rows = changed(report)[:_SHOWN]
    scale = _Scale([value for _, of in rows for value in of.values()])
    shapes = []
    for n, (name, of) in enumerate(rows):
        y = _LINE * (n + 2)
        shapes.append(_text(name, y))
        for above, (when, colour) in zip((-1, 8), _FEW.items(), strict=True):
            start, end = sorted((scale(0.0), scale(of[when])))
            shapes.append(f'<rect x="{start}" y="{y - 8 + above}" width="{round(end - start, 1)}" height="8" '
                          f'fill="{colour}"><title>{when}: {of[when]}</title></rect>')
    return _picture("Weights that changed most: after (blue), before (grey)", shapes, len(rows), scale)


class _Scale:
    """Places on the width of a picture, for values and 0."""

    def __init__(self, values: Sequence[float]) -> None:
        self._low, high = min((*values, 0.0)), max((*values, 0.0))
        self._span = (high - self._low) or 1.0

    def __call__(self, value: float) -> float:
        return round(_LEFT + (value - self._low) / self._span * (_WIDE - _LEFT - _RIGHT), 1)


def _text(words: str, y: int) -> str:
    return f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end" font-size="12">{escape(words)}</text>'


def _picture(title: str, shapes: Sequence[str], rows: int, scale: _Scale) -> str:
    high = _LINE * (rows + 2)
    zero = f'<line x1="{scale(0.0)}" x2="{scale(0.0)}" y1="{_LINE}" y2="{high - 8}" stroke="#57606a" stroke-width="1"/>'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {high}" width="{_WIDE}" height="{high}" '
        f'font-family="sans-serif" role="img" aria-label="{escape(title)}">',
        f'<rect width="{_WIDE}" height="{high}" fill="#ffffff"/>',
        f'<text x="10" y="17" font-size="13" font-weight="bold">{escape(title)}</text>', zero, *shapes, "</svg>", "",
    ])
