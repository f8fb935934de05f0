"""What a question asks for, taken apart by its form: two questions in one, a comparison, a chain."""

import re
from dataclasses import dataclass

MOST_PARTS = 4
_LEAST_WORDS = 2
_ASKS = "what|when|where|who|whose|which|why|how|is|are|was|were|do|does|did|can|may|must"
_AND = re.compile(rf"[?;]\s|,?\s(?:and|or)\s(?=(?:{_ASKS})\s)", re.IGNORECASE)
_COMPARES = re.compile(r"\b(differences? between|compare)\s", re.IGNORECASE)
_AND_ALONE = (r"\sand\s",)
_LINKS = (r"\swith\s", r"\s(?:versus|vs\.?)\s", r"\sand\s", r"\sto\s")
"""Of "compare A … B", the surest first: "and" and "to" also stand inside of A or B."""
_CLAUSE = re.compile(r"\b(the|a|an) ((?:\w+ ){1,3})(?:that|which|who|whose|where) ", re.IGNORECASE)
_OF = re.compile(r"\bthe ((?:\w+ ){1,3})(?:of|by|in|for) (?=[A-Z])")
_CLAUSE_WORDS = 6


@dataclass(frozen=True, slots=True)
class Part:
    """Not `wanted`: it only helps to find what the others ask for."""

    text: str
    wanted: bool = True


def parts_of(question: str) -> tuple[Part, ...]:
    """At least one: the question itself, where nothing in it can be asked alone."""
    asked = _compared(question) or _several(question)
    if len(asked) > 1:
        return tuple(Part(text) for text in asked[:MOST_PARTS])
    return Part(question), *(Part(text, wanted=False) for text in _clauses(question)[: MOST_PARTS - 1])


def has_parts(question: str) -> bool:
    """Whether more than one search may be worth it: two questions, a comparison, or a chain."""
    return len(parts_of(question)) > 1


def _several(question: str) -> list[str]:
    found = [piece.strip(" ,.?;") for piece in _AND.split(question)]
    found = list(dict.fromkeys(piece for piece in found if piece))
    return found if all(len(piece.split()) >= _LEAST_WORDS for piece in found) else []


def _compared(question: str) -> list[str]:
    """"The difference between A and B" asks for A and for B; nothing where it is not plain where A ends."""
    began = _COMPARES.search(question)
    if began is None:
        return []
    compared = question[began.end() :]
    links = _LINKS if began.group(1).casefold() == "compare" else _AND_ALONE
    link = next((link for link in links if re.search(link, compared, re.IGNORECASE)), None)
    sides = [side.strip(" ,.?;") for side in re.split(link, compared, flags=re.IGNORECASE)] if link else []
    return sides if len(sides) == 2 and all(sides) else []


def _clauses(question: str) -> list[str]:
    """"The team that owns the gateway": a chain hangs on what such a clause names."""
    found = []
    for clause in (*_CLAUSE.finditer(question), *_OF.finditer(question)):
        rest = question[clause.end() :].split()[:_CLAUSE_WORDS]
        if len(rest) >= _LEAST_WORDS:
            found.append(f"{clause.group(0)}{' '.join(rest)}".strip(" ,.?;"))
    return found
