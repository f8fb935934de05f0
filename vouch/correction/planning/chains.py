"""Chains: what asks for something of a thing that only another passage names, as "the team that owns the gateway"."""

import re

from vouch.documents.text.capitals import CAPITALS

BEGINS = (
    "What|When|Where|Who|Whom|Whose|Which|Why|How|Is|Are|Was|Were|Do|Does|Did|Can|Could|May|Must|Has|Have|Had|Will|"
    "Should|Would|Compare|The|A|An|In|On|At|For|Of|If|And|Or|Both|Either|Tell|Show|List|Find|I"
)
"""With a capital letter, and no names."""
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
_HOLDERS = (
    "team|owner|lead|leader|manager|boss|head|deputy|director|supervisor|author|maintainer|mentor|sponsor|department"
)
_NO_HOLDER = "who|what|when|where|why|how|it|that|there|here|let|he|she|today|tomorrow|yesterday|year|month|week"
_HOLDS = re.compile(
    rf"(?:\b(?:the|a|an) (?:(?!of )\w+ ){{0,2}}|(?:\b(?!(?:{BEGINS})\b)[{CAPITALS}]\w* ){{1,3}})?"
    rf"\b(?!(?:{_NO_HOLDER}|{_NO_HOLDER.title()})['’]s)\w+(?:['’]s|s['’]) (?:{_HOLDERS})\b(?! (?:office|time|of|\d))")
_IS = re.compile(r"(?:\b(?:is|are|was|were|called|named|me|us|name|give|show|find)|['’]s)(?:\s\w+ly)?\s\Z",
                 re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:do|does|did|can|could|may|must|will|would|should|has|have|had)\s", re.IGNORECASE)
_GOES_ON = re.compile(r"['’]s\s|\s+\w")


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
