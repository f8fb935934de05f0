"""What Word's styles say of a paragraph: whether it is a heading, and whether it is numbered."""

from typing import Any

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
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
