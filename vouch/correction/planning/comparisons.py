"""A comparison asks for each of its sides."""

import re

from vouch.correction.planning.questions import begins_as_question

_MOST_SIDES = 8
_COMPARES = re.compile(r"\b(differences? between|compare)\s", re.IGNORECASE)
_WITH = re.compile(r"\swith\s", re.IGNORECASE)
_VERSUS = re.compile(r"\s(?:versus|vs\.?)\s", re.IGNORECASE)
_AND_ALONE = re.compile(r"\sand\s", re.IGNORECASE)
_LAST_AND = re.compile(r"(?:^|\s)and\s", re.IGNORECASE)
_TO = re.compile(r"\sto\s", re.IGNORECASE)
_LINKS = (_WITH, _VERSUS, _AND_ALONE, _TO)
"""Of "compare A … B", the surest first: "and" and "to" also stand inside of A or B."""
_ASIDE = re.compile(r"(?:who|which|that|whose|where|when|including|such as|for example|e\.g\.)\b", re.IGNORECASE)


def compared(question: str) -> list[str]:
    """"The difference between A and B" asks for A and for B; nothing where it is not plain where A ends. A question
    that stands before it is asked as well."""
    began = _COMPARES.search(question)
    if began is None:
        return []
    sides = _listed(question[began.end() :]) or _two(question[began.end() :], began[1])
    before, comma, _ = question[: began.start()].rpartition(",")
    return [before.strip(), *sides] if sides and comma and begins_as_question(before) else sides


def _two(sides: str, began: str) -> list[str]:
    links = _LINKS if began.casefold() == "compare" else (_AND_ALONE,)
    link = next((link for link in links if link.search(sides)), None)
    found = [side.strip(" ,.?;") for side in link.split(sides)] if link else []
    return found if len(found) == 2 and all(found) else []


def _listed(sides: str) -> list[str]:
    """Of "A, B and C" all; nothing where a comma may do something else."""
    *firsts, last = [piece.strip(" .?;") for piece in sides.split(",")]
    lasts = _LAST_AND.split(last)
    found = [*firsts, *(piece.strip() for piece in lasts if piece.strip())]
    plain = firsts and len(lasts) == 2 and 3 <= len(found) <= _MOST_SIDES
    return found if plain and all(one and not _ASIDE.match(one) for one in found) else []
