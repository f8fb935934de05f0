"""Items that number themselves, as "#." in reStructuredText and "." in AsciiDoc, get the numbers people see."""

import re
from collections.abc import Callable, Sequence

from vouch.adapters.parsers.spans import Blocks
from vouch.documents.document import Block

_LINE = re.compile(r"[^\n]*\n?")
_HASH = re.compile(r"([ \t]*)(?:#|(\d{1,4}))([.)])(?=[ \t]+\S)")
_DOTS = re.compile(r"[ \t]*(\.{1,5})(?=[ \t]+\S)")
_BULLET = re.compile(r"[ \t]*(?:\*{1,5}|-)[ \t]+\S")

Number = Callable[[str, dict[int, int], bool], str]


def with_hash_numbers(text: str, start: int, blocks: Sequence[Block]) -> str:
    """reStructuredText with numbers for "#." behind `start`, but in blocks of code. Every line stays where it is."""
    return _numbered(text, start, blocks, _hash)


def with_dot_numbers(text: str, start: int, blocks: Sequence[Block]) -> str:
    """The same of AsciiDoc, with an indent for each dot but the first."""
    return _numbered(text, start, blocks, _dots)


def _numbered(text: str, start: int, blocks: Sequence[Block], number: Number) -> str:
    code = Blocks([(block.start, block.end) for block in blocks if block.kind == "code"])
    counts, after_blank, lines = dict[int, int](), True, [text[:start]]
    for match in _LINE.finditer(text, start):
        line = match[0]
        if line.strip() and code.end_at(match.start()) is None:
            lines.append(number(line, counts, after_blank))
        else:
            lines.append(line)
        after_blank = not line.strip()
    return "".join(lines)


def _hash(line: str, counts: dict[int, int], after_blank: bool) -> str:
    """`counts` are the numbers reached, by indent; what stands as far left as an item ends its list."""
    item = _HASH.match(line)
    indent = len(line) - len(line.lstrip())
    for deeper in [one for one in counts if one > indent or (one == indent and not item)]:
        del counts[deeper]
    if item is None:
        return line
    counts[indent] = int(item[2]) if item[2] else counts.get(indent, 0) + 1
    return f"{item[1]}{counts[indent]}{item[3]}{line[item.end() :]}"


def _dots(line: str, counts: dict[int, int], after_blank: bool) -> str:
    """`counts` are the numbers reached, by depth; a paragraph ends all lists, but for one joined to its item by "+"."""
    item = _DOTS.match(line)
    if item is None:
        if after_blank and not _BULLET.match(line):
            counts.clear()
        return line
    depth = len(item[1])
    for deeper in [level for level in counts if level > depth]:
        del counts[deeper]
    counts[depth] = counts.get(depth, 0) + 1
    return f"{'   ' * (depth - 1)}{counts[depth]}.{line[item.end() :]}"
