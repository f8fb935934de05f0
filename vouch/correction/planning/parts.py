"""What a question asks for, taken apart by its form: several questions, a comparison, several names, a chain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vouch.correction.planning.questions import begins_as_question, questions_in
from vouch.documents.text.capitals import CAPITALS

_WHO = "team|group|department|squad|crew|unit|person|people|company|engineer|somebody|someone"
_DOES = "owning|running|leading|managing|handling|maintaining|operating|supporting|responsible for|in charge of"
_CLAUSE = re.compile(
    rf"\b(?:the|a|an) (?:(?:\w+ ){{1,3}}(?:that|which|who|whose|where)|(?:\w+ ){{0,2}}(?:{_WHO}) (?:{_DOES})) ",
    re.IGNORECASE)
_OF = re.compile(rf"\bthe (?:\w+ ){{1,3}}(?:of|by|in|for) (?=[{CAPITALS}])")
_DECIDES = re.compile(r"(?:do|does|did|is|are|was|were|can|may|must|has|have|will|should)\s", re.IGNORECASE)
_AFTER = re.compile(
    r",\s(?=(?:what|why|how|when|where|who|is|are|was|were|do|does|did|can|may|must|has|have|will|should)\s)",
    re.IGNORECASE)
_TIES = frozenset({"with", "to", "by", "on", "in", "for", "from", "under", "at"})
_CLAUSE_WORDS, _LEAST_WORDS = 6, 2
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
    return list(dict.fromkeys(texts))


def links_in(question: str) -> list[str]:
    """What is named in a chain and is not asked for: its clauses, and "Ana's manager" in what asks something of him,
    and not in "who is Ana's manager", which one passage tells."""
    held = (held for held in _HOLDS.finditer(question)
            if _GOES_ON.match(question, held.end()) or not _IS.search(question[: held.start()]))
    return [*clauses(question), *(one[0] for one in held)]


def beside_links(question: str) -> list[str] | None:
    """The words of a chain that are of no link: "where is" of "where is the team that …". None where it is no chain, or
    where the verb of the question may stand at the end of a link: "where does the team that … sit"."""
    links = " ".join(links_in(question)).split()
    if not links or _AUXILIARY.search(question):
        return None
    return [word for word in question.split() if word.strip(",.?;") not in links]


def _without_verb(words: list[str]) -> list[str]:
    """"owns X follow", "owns X comply with" before the next clause: "owns X". None of "is in charge of": it goes on."""
    kept = words[:-1] if words and words[-1].casefold() in _TIES else words
    return [] if kept and kept[-1].casefold() == "of" else kept[:-1]


_MOST_NAMES = 8
_BEGINS = (
    "What|When|Where|Who|Whom|Whose|Which|Why|How|Is|Are|Was|Were|Do|Does|Did|Can|Could|May|Must|Has|Have|Had|Will|"
    "Should|Would|Compare|The|A|An|In|On|At|For|Of|If|And|Or|Both|Either|Tell|Show|List|Find|I"
)
_HOLDERS = (
    "team|owner|lead|leader|manager|boss|head|deputy|director|supervisor|author|maintainer|mentor|sponsor|department"
)
_NO_HOLDER = "who|what|when|where|why|how|it|that|there|here|let|he|she|today|tomorrow|yesterday|year|month|week"
_HOLDS = re.compile(
    rf"(?:\b(?:the|a|an) (?:(?!of )\w+ ){{0,2}}|(?:\b(?!(?:{_BEGINS})\b)[{CAPITALS}]\w* ){{1,3}})?"
    rf"\b(?!(?:{_NO_HOLDER}|{_NO_HOLDER.title()})['’]s)\w+(?:['’]s|s['’]) (?:{_HOLDERS})\b(?! (?:office|time|of|\d))")
_IS = re.compile(r"(?:\b(?:is|are|was|were|called|named|me|us|name|give|show|find)|['’]s)(?:\s\w+ly)?\s\Z",
                 re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:do|does|did|can|could|may|must|will|would|should|has|have|had)\s", re.IGNORECASE)
_GOES_ON = re.compile(r"['’]s\s|\s+\w")
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
