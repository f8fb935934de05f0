"""Tables and words of a report as Markdown, so that nothing in them does anything."""

import re
from collections.abc import Iterable, Sequence

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|~&$:@-])")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    head = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return [*head, *("| " + " | ".join(escaped(str(cell)) for cell in row) + " |" for row in rows)]


def escaped(text: str) -> str:
    """As it stands: no mark of it does anything, and none makes a viewer fetch something."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
