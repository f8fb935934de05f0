"""Pictures of a training: gains with their intervals, and weights before and after. Numbers and names only."""

from collections.abc import Mapping
from typing import Any

from vouch.learning.statistics.interval_picture import ROW, drawn_rows, interval_picture, row_name, row_scale
from vouch.learning.statistics.svg import BLUE, bar
from vouch.learning.training.training_report import changed

_SHOWN = 20                             # weights
_BARS = {"after": (-9, BLUE), "before": (0, "#b6c2cf")}


def pictures(report: Mapping[str, Any]) -> dict[str, str]:
    """SVG by what each shows."""
    return {"gains": _gains(report), "weights": _weights(report)}


def _gains(report: Mapping[str, Any]) -> str:
    rows = [(f"against {rival}", *of["gain_interval"], of["gain"])
            for rival, of in sorted(report["figures"].items()) if "gain_interval" in of]
    return interval_picture("Gain in nDCG@10 on held-out questions, 95 % interval", rows, "{:+.3f}")


def _weights(report: Mapping[str, Any]) -> str:
    rows = changed(report)[:_SHOWN]
    scale = row_scale([value for _, of in rows for value in of.values()])
    shapes = []
    for y, (name, of) in zip(range(2 * ROW, 10_000, ROW), rows, strict=False):
        shapes.append(row_name(name, y))
        shapes += [bar(scale(0.0), scale(of[when]), y + above, 8, color=color, told=f"{when}: {of[when]}")
                   for when, (above, color) in _BARS.items()]
    return drawn_rows("Weights that changed most: after (blue), before (grey)", shapes, len(rows), scale)
