"""Rows of tables that a question names by their first cell, such as Widget-17.

A model of meaning does not tell Widget-17 from Widget-71, and the words of a
code stand in many rows: its number is another row's stock. So a passage with
the very row comes first, whatever was scored.
"""

import re
from collections.abc import Sequence

from vouch.documents.text.tables import cells, table_rows
from vouch.values.candidate import Candidate, Passage

NAMED_ROW = "named_row"                 # how an explanation calls it
_MOST = 3                               # passages; what more of them begin a row with names none of the rows
_LEAST = 5                              # characters; shorter ones, such as Q3 and FY21, are labels of many things
_EDGES = "\"'“”‘’«»()[]{}<>.,;:!?…*_`|"
_OWNED = re.compile(r"['’]s\Z")
_LETTER = re.compile(r"[^\W\d_]")


def codes(text: str) -> frozenset[str]:
    """Words with a letter and a digit, in small letters and without the signs around them."""
    words = (_OWNED.sub("", word.strip(_EDGES)).casefold() for word in text.split())
    return frozenset(word for word in words if len(word) >= _LEAST and _is_code(word))


def _is_code(word: str) -> bool:
    return _LETTER.search(word) is not None and any(map(str.isdecimal, word))


def rows_named(asked: frozenset[str], passage: Passage) -> frozenset[str]:
    """Which of the codes `asked` for are the first cell of a row of the passage."""
    folded = passage.text.casefold()
    if "|" not in folded or not any(code in folded for code in asked):
        return frozenset()
    rows = table_rows(passage.text, passage.header)
    return asked & {first_cell(passage.text[row.start : row.end]) for row in rows if row.kind == "row"}


def first_cell(row: str) -> str:
    return cells(row)[0].strip(_EDGES).casefold()


def named(text: str, candidates: Sequence[Candidate]) -> list[bool]:
    """Of each candidate whether it has a row that `text` names, and few others have one of that name."""
    asked = codes(text)
    found = [rows_named(asked, one.passage) if asked else asked for one in candidates]
    telling = {code for code in asked if sum(code in names for names in found) <= _MOST}
    return [not telling.isdisjoint(names) for names in found]


def named_first(text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with a row that `text` names before all others, and otherwise in their order.

    Scores and ranks stay as they were given. Without a code in `text` nothing moves.
    """
    first = list(zip(named(text, candidates), candidates, strict=True))
    return [one for wanted in (True, False) for is_first, one in first if is_first is wanted]
