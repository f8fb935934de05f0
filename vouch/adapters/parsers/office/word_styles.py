"""What Word's styles and lists say of a paragraph: heading or not, and the number a person sees."""

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
            node.get(f"{_W}abstractNumId"): {n: level for each in node.findall(f"{_W}lvl") for n, level in _depth(each)}
            for node in numbering.findall(f"{_W}abstractNum")
        }
        for node in numbering.findall(f"{_W}num"):
            name, base = node.get(f"{_W}numId"), _value(node, "abstractNumId")
            self._levels[name] = dict(levels.get(base, {}))
            restarts = node.findall(f"{_W}lvlOverride")
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
        for n, level in (found for each in change.findall(f"{_W}lvl") for found in _depth(each)):
            self._levels[name][n] = level
        start = _value(change, "startOverride")
        if start.isdigit():
            former = self._levels[name].get(at, _Level("decimal", f"%{at + 1}."))
            self._levels[name][at] = _Level(former.form, former.text, min(int(start), _MOST))


def _depth(element: Any) -> list[tuple[int, _Level]]:
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


_DEEPEST = 20                           # styles that are based on one another


class Styles:
    """The levels and numbers of paragraphs, by themselves or by their style and those it is based on."""

    def __init__(self, styles: Any) -> None:
        self._styles = {style.get(f"{_W}styleId"): style for style in styles.findall(f"{_W}style")}
        self._levels: dict[str | None, int | None] = {}
        self._numbers: dict[str | None, tuple[str | None, int]] = {}

    def level(self, paragraph: Any) -> int | None:
        """0 for the document's title, 1 to 9 for a heading, None for other text."""
        outline = paragraph.find(f"{_W}pPr/{_W}outlineLvl")
        if outline is not None:
            return _heading(outline)
        name = _style(paragraph)
        if name not in self._levels:
            self._levels[name] = next((found for one in self._chain(name) for found in _level(one)), None)
        return self._levels[name]

    def numbered(self, paragraph: Any) -> tuple[str | None, int]:
        """The list it is an item of, None if of none, and how deep."""
        direct = paragraph.find(f"{_W}pPr/{_W}numPr")
        name = _style(paragraph)
        if name not in self._numbers:
            props = (one.find(f"{_W}pPr/{_W}numPr") for one in self._chain(name))
            self._numbers[name] = next((_number(prop) for prop in props if prop is not None), (None, 0))
        if direct is None:
            return self._numbers[name]
        number, depth = _number(direct)
        return (number if number is not None else self._numbers[name][0]), depth

    def is_contents(self, paragraph: Any) -> bool:
        """Whether it is a line of the table of contents, whose words are those of the headings."""
        chain = self._chain(_style(paragraph))
        return bool(chain) and _name(chain[0]).startswith("toc ")

    def _chain(self, name: str | None) -> list[Any]:
        found: list[Any] = []
        while name in self._styles and len(found) < _DEEPEST:
            found.append(self._styles[name])
            base = found[-1].find(f"{_W}basedOn")
            name = base.get(f"{_W}val") if base is not None else None
        return found


def _style(paragraph: Any) -> str | None:
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return style.get(f"{_W}val") if style is not None else None


def _level(style: Any) -> list[int | None]:
    """Nothing if the style leaves it to the one it is based on."""
    words = _name(style)
    if words == "title":
        return [0]
    if words.startswith("heading ") and words[8:].isdigit():
        return [int(words[8:])]
    outline = style.find(f"{_W}pPr/{_W}outlineLvl")
    return [] if outline is None else [_heading(outline)]


def _name(style: Any) -> str:
    name = style.find(f"{_W}name")
    return (name.get(f"{_W}val") or "").lower() if name is not None else ""


def _heading(outline: Any) -> int | None:
    value = int(outline.get(f"{_W}val", "9"))
    return value + 1 if 0 <= value < 9 else None


def _number(properties: Any) -> tuple[str | None, int]:
    number, depth = properties.find(f"{_W}numId"), properties.find(f"{_W}ilvl")
    return (
        number.get(f"{_W}val") if number is not None else None,
        min(max(int(depth.get(f"{_W}val", "0")), 0), 8) if depth is not None else 0,
    )
