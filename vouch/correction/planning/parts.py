"""What a question asks for, taken apart by its form: several questions, a comparison, several names, a chain."""

import re
from dataclasses import dataclass

from vouch.correction.planning.comparisons import compared
from vouch.correction.planning.questions import questions_in
from vouch.documents.text.capitals import CAPITALS

_CLAUSE = re.compile(r"\b(?:the|a|an) (?:\w+ ){1,3}(?:that|which|who|whose|where) ", re.IGNORECASE)
_OF = re.compile(rf"\bthe (?:\w+ ){{1,3}}(?:of|by|in|for) (?=[{CAPITALS}])")
_DECIDES = re.compile(r"(?:do|does|did|is|are|was|were|can|may|must|has|have|will|should)\s", re.IGNORECASE)
_AFTER = re.compile(
    r",\s(?=(?:what|why|how|when|where|who|is|are|was|were|do|does|did|can|may|must|has|have|will|should)\s)",
    re.IGNORECASE)
_TIES = frozenset({"with", "to", "by", "on", "in", "for", "from", "under", "at"})
_CLAUSE_WORDS, _LEAST_WORDS = 6, 2


def clauses(question: str) -> list[str]:
    """In the order of their kinds. One ends where another begins, if a verb of the question stands between them, and
    at a comma that the question itself follows."""
    starts = [match.start() for match in _CLAUSE.finditer(question)]
    texts = []
    for clause in (*_CLAUSE.finditer(question), *_OF.finditer(question)):
        next_one = min((start for start in starts if start > clause.start()), default=len(question))
        whole = _AFTER.split(question[clause.end() :])[0].split()
        own = question[clause.end() : next_one].split()
        if len(own) < len(whole) and _DECIDES.match(question):
            own = _without_verb(own)
            whole = own if len(own) >= _LEAST_WORDS else whole
        rest = whole[:_CLAUSE_WORDS]
        if len(rest) >= _LEAST_WORDS:
            texts.append(f"{clause.group(0)}{' '.join(rest)}".strip(" ,.?;"))
    return texts


def _without_verb(words: list[str]) -> list[str]:
    """"owns X follow", "owns X comply with" before the next clause: "owns X". None of "is in charge of": it goes on."""
    kept = words[:-1] if words and words[-1].casefold() in _TIES else words
    return [] if kept and kept[-1].casefold() == "of" else kept[:-1]


_MOST_NAMES = 8
_BEGINS = (
    "What|When|Where|Who|Whom|Whose|Which|Why|How|Is|Are|Was|Were|Do|Does|Did|Can|Could|May|Must|Has|Have|Had|Will|"
    "Should|Would|Compare|The|A|An|In|On|At|For|Of|If|And|Or|Both|Either|Tell|Show|List|Find|I"
)
_REST = r"[\w’'&-]*+"
_NAME = rf"(?!(?:{_BEGINS})\b)[{CAPITALS}]{_REST}(?: (?!(?:{_BEGINS})\b)[{CAPITALS}0-9]{_REST}){{0,3}}"
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
    """Not `wanted`: it only helps to find what the others ask for."""

    text: str
    wanted: bool = True


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
        return Apart(tuple(Part(text) for text in asked[:MOST_PARTS]), tuple(asked[MOST_PARTS:]))
    helping = clauses(question)[: MOST_PARTS - 1]
    return Apart((Part(question), *(Part(text, wanted=False) for text in helping)))


def parts_of(question: str) -> tuple[Part, ...]:
    return taken_apart(question).parts
