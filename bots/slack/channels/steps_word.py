"""`steps:N` in a question: how many further searches it may take (docs/steps.md)."""

import re

from vouch.errors import BadInput
from vouch.messages import MOST_STEPS

_WORD = re.compile(r"(?<!\S)steps:([^\s\"]{1,500})", re.IGNORECASE)
_ENDS = ".,;:!?"


def read_steps(text: str) -> tuple[str, int | None]:
    """The question without the word, and the number; None where it does not say. Raises BadInput for no number."""
    said = [found[1].rstrip(_ENDS) for found in _WORD.finditer(text)]
    if not said:
        return text, None
    if not all(one.isascii() and one.isdecimal() and int(one[:9]) <= MOST_STEPS for one in said):
        raise BadInput(f"steps: needs a number from 0 to {MOST_STEPS}", cure="write it as in: steps:4")
    return _WORD.sub("", text), int(said[-1])
