"""What language models are told, as files of this package: each a name and a version, and in it named sections.

A file is read once in a process, and its instructions are joined once. Nothing
of a question or a passage is ever filled into them: that stands in another
message, between two marker lines that no passage can contain.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from vouch.errors import Damaged

FOLDER = Path(__file__).with_name("prompt_texts")
SECTIONS = ("role", "constraints", "output", "examples", "think")
"""In the order they are told; the first three every template has, the last two are told if they are wanted."""
_HEAD = re.compile(r"^## (\w+)$", re.MULTILINE)
_CURE = "install vouch again"


@cache
def sections(name: str, version: int) -> Mapping[str, str]:
    """By name. Raises Damaged for a file that is not there, or is no template."""
    file = FOLDER / f"{name}.v{version}.txt"
    try:
        _, *parts = _HEAD.split(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Damaged(f"{file.name}, what a language model is told, cannot be read: {error}", cure=_CURE) from error
    found = {head: text.strip() for head, text in zip(parts[::2], parts[1::2], strict=True)}
    if not set(SECTIONS[:3]) <= found.keys() <= set(SECTIONS) or not all(found.values()):
        raise Damaged(f"{file.name} does not hold the sections of what a language model is told", cure=_CURE)
    return MappingProxyType(found)


@cache
def instructions(name: str, version: int, *, examples: bool = False, think: bool = False) -> str:
    """The first message of a request. Sections that the template lacks are left out."""
    held = sections(name, version)
    wanted = [one for one in SECTIONS if one in held
              and (one != "examples" or examples) and (one != "think" or think)]
    return "\n\n".join(held[one] for one in wanted)


def fence(parts: Sequence[str]) -> str:
    """A marker no passage can contain: it is made of the words it encloses."""
    return "PASSAGES-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def request(told: str, question: str, parts: Sequence[str]) -> list[dict[str, str]]:
    """The two messages of one request: instructions, then the question with its fenced parts between it and itself."""
    marker, body = fence([question, *parts]), "\n\n".join(parts)
    return [
        {"role": "system", "content": told},
        {"role": "user", "content": f"Question: {question}\n\n<<{marker}\n{body}\n{marker}>>\n\nAgain: {question}"},
    ]
