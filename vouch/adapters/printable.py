"""Words of others on a terminal: signs that would steer it, or reorder words, are shown as what they are."""

import json
import math
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

# Controls, formats (bidirectional, zero-width, tags), halves of pairs, private ones, line and paragraph separators.
_STEERING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_SOFT_HYPHEN = "\u00ad"                 # says where a word may be parted, and nothing else


def printable(text: str) -> str:
    r"""`text` with each such sign written as `\x1b` or `\u202e`; line ends stay, a tab is four spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text.replace("\r\n", "\n")))


def json_line(row: Mapping[str, Any]) -> str:
    r"""JSON on one line, in which such signs are written as `\u202e`: what a program reads is the same.

    A number that JSON has no word for, such as infinity, is null.
    """
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(row), ensure_ascii=False, allow_nan=False)
    return text if text.isascii() and text.isprintable() else "".join(map(_escaped, text))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@lru_cache(maxsize=4096)
def _shown(char: str) -> str:
    if char == "\n" or not _steers(char):
        return char
    if char in ("\t", _SOFT_HYPHEN):
        return "    " if char == "\t" else ""
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


@lru_cache(maxsize=4096)
def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1] if _steers(char) else char


def _steers(char: str) -> bool:
    return unicodedata.category(char) in _STEERING
