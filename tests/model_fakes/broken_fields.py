"""What no model file may hold, of whatever kind it is: a field, and the word by which it is refused."""

from typing import Any

BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"figures": {"a": {"x": 1e16}}}, "figures"),
    ({"figures": {"a": {"x": [0.5] * 1001}}}, "figures"),
    ({"figures": {"a": {"x" * 1001: 1.0}}}, "figures"),
    ({"figures": {"a": {"x": 10**300}}}, "figures"),
    ({"data": ["x"] * 1001}, "data"),
    ({"data": ["x" * 1001]}, "data"),
    ({"seed": 10**300}, "seed"),
    ({"seed": 2**63}, "seed"),
    ({"trained_on": "x" * 900_000}, "trained_on"),
    ({"trained_on": "a\x00"}, "trained_on"),
    ({"fingerprints": {"weights": "x" * 1001}}, "fingerprints"),
    ({"surprise": 1}, "surprise"),
]
