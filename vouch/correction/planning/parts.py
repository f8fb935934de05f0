"""What a question asks for, taken apart by its form: several questions, a comparison, several names, a chain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vouch.correction.planning.chains import BEGINS, clauses, links_in
from vouch.correction.planning.questions import begins_as_question, questions_in
from vouch.documents.text.capitals import CAPITALS

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
_MOST_NAMES = 8
_REST = r"[\w’'&-]*+"
_NAME = rf"(?!(?:{BEGINS})\b)[{CAPITALS}]{_REST}(?: (?!(?:{BEGINS})\b)[{CAPITALS}0-9]{_REST}){{0,3}}"
_FIRST = r"(?<![\w’'&-])"               # a name is not begun in its middle
_JOINED = (
    re.compile(rf"{_FIRST}(?P<all>{_NAME}(?:, {_NAME}){{1,7}},? (?:and|or) {_NAME})"),
    re.compile(rf"\b[Bb]oth (?P<all>{_NAME} and {_NAME})"),
    re.compile(rf"{_FIRST}(?P<all>{_NAME} (?:or|as well as|versus|vs\.?) {_NAME})"),
    re.compile(rf"\b(?:[Aa]re|[Ww]ere|[Dd]o|[Hh]ave) (?P<all>{_NAME} and {_NAME})"),
)
"""Ways in which names are surely several: "Research and Development" is one."""
_LINK = re.compile(r",? (?:and|or|as well as|versus|vs\.?) |, ")


def by_name(question: str) -> list[str]:
    """The question with each of the names in the place of all; nothing where it does not join any."""
    for pattern in _JOINED:
        found = pattern.search(question)
        if found is None:
            continue
        names = list(dict.fromkeys(_LINK.split(found["all"])))
        before, after = question[: found.start("all")], question[found.end("all") :]
        before = re.sub(r"\b(?:both|either) $", "", before, flags=re.IGNORECASE)
        return [f"{before}{name}{after}".strip(" ,.?;") for name in names[:_MOST_NAMES]] if len(names) > 1 else []
    return []


MOST_PARTS = 4
_QUOTED = re.compile(r"\"[^\"]*+\"|“[^“”]*+”|«[^«»]*+»")
_HELD = "\0"                             # in the place of a space within quotation marks, where nothing is cut


@dataclass(frozen=True, slots=True)
class Part:
    """Not `wanted`: it only helps to find what the others ask for. `chain`: what it asks for is told by one passage on
    something that another names."""

    text: str
    wanted: bool = True
    chain: bool = False


@dataclass(frozen=True, slots=True)
class Apart:
    """`parts`: at least one, the question itself where nothing in it can be asked alone. `rest`: asked for as well,
    and too much to be searched for one by one."""

    parts: tuple[Part, ...]
    rest: tuple[str, ...] = ()


def taken_apart(question: str) -> Apart:
    held = _QUOTED.sub(lambda quoted: _HELD.join(quoted[0].split(" ")), question)
    asked = [side for one in questions_in(held) or [held] for side in compared(one) or [one]]
    asked = [one.replace(_HELD, " ") for one in (asked if len(asked) > 1 else by_name(held))]
    if len(asked) > 1:
        return Apart(each_alone(asked[:MOST_PARTS]), tuple(asked[MOST_PARTS:]))
    helping = clauses(question)[: MOST_PARTS - 1]
    return Apart((*each_alone([question]), *(Part(text, wanted=False) for text in helping)))


def each_alone(asked: Sequence[str]) -> tuple[Part, ...]:
    return tuple(Part(text, chain=bool(links_in(text))) for text in asked)


def parts_of(question: str) -> tuple[Part, ...]:
    return taken_apart(question).parts


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
