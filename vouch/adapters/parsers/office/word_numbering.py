"""Counts Word's lists, so that an item and a heading have the number that a person sees."""

import re
from dataclasses import dataclass
from typing import Any

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PLACE = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_MOST = 9_999


@dataclass(frozen=True, slots=True)
class _Level:
    form: str = "bullet"
    text: str = ""
    start: int = 1


class Numbering:
    """`numbering` is Word's part of that name; without it every list has bullets."""

    def __init__(self, numbering: Any) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._abstract: dict[str, str] = {}             # lists that go on counting together
        self._counts: dict[str, dict[int, int]] = {}
        if numbering is None:
            return
        levels = {
            one.get(f"{_W}abstractNumId"): {n: level for each in one.findall(f"{_W}lvl") for n, level in _level(each)}
            for one in numbering.findall(f"{_W}abstractNum")
        }
        for one in numbering.findall(f"{_W}num"):
            name, base = one.get(f"{_W}numId"), _value(one, "abstractNumId")
            self._levels[name] = dict(levels.get(base, {}))
            restarts = one.findall(f"{_W}lvlOverride")
            self._abstract[name] = f"num {name}" if restarts else f"abstract {base}"
            for change in restarts:
                self._override(name, change)

    def label(self, name: str | None, depth: int) -> tuple[str | None, int]:
        """What stands before an item (empty: a bullet; None: it is no item), counted on; and how deep it stands."""
        if name is None or name == "0":
            return None, 0
        levels = self._levels.get(name, {})
        level = levels.get(depth, _Level())
        counts = self._counts.setdefault(self._abstract.get(name, name), {})
        for deeper in [n for n in counts if n > depth]:
            del counts[deeper]
        counts[depth] = min(counts.get(depth, level.start - 1) + 1, _MOST)
        if level.form in ("bullet", "none") or not level.text:
            return "", depth

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            above = levels.get(at, _Level("decimal"))
            return _written(counts.get(at, above.start), above.form)

        return " ".join(_PLACE.sub(number, level.text).split()), depth

    def _override(self, name: str, change: Any) -> None:
        at = int(change.get(f"{_W}ilvl", "0"))
        for n, level in (found for each in change.findall(f"{_W}lvl") for found in _level(each)):
            self._levels[name][n] = level
        start = _value(change, "startOverride")
        if start.isdigit():
            former = self._levels[name].get(at, _Level("decimal", f"%{at + 1}."))
            self._levels[name][at] = _Level(former.form, former.text, min(int(start), _MOST))


def _level(element: Any) -> list[tuple[int, _Level]]:
    at, start = element.get(f"{_W}ilvl", ""), _value(element, "start")
    if not at.isdigit():
        return []
    first = min(int(start), _MOST) if start.isdigit() else 1
    return [(int(at), _Level(_value(element, "numFmt") or "decimal", _value(element, "lvlText")[:40], first))]


def _value(parent: Any, name: str) -> str:
    child = parent.find(f"{_W}{name}")
    return child.get(f"{_W}val") or "" if child is not None else ""


def _written(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)
        return letter if form == "lowerLetter" else letter.upper()
    if form in ("lowerRoman", "upperRoman"):
        words = ""
        for value, sign in _ROMAN:
            words, number = words + sign * (number // value), number % value
        return words if form == "lowerRoman" else words.upper()
    return str(number)
