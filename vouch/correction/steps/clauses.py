"""What a chain hangs on: "the team that owns the gateway"."""

import re

_CLAUSE = re.compile(r"\b(?:the|a|an) (?:\w+ ){1,3}(?:that|which|who|whose|where) ", re.IGNORECASE)
_OF = re.compile(r"\bthe (?:\w+ ){1,3}(?:of|by|in|for) (?=[A-Z])")
_DECIDES = re.compile(r"(?:do|does|did|is|are|was|were|can|may|must|has|have|will|should)\s", re.IGNORECASE)
_TIES = frozenset({"with", "to", "by", "on", "in", "for", "from", "under", "at"})
_CLAUSE_WORDS, _LEAST_WORDS = 6, 2


def clauses(question: str) -> list[str]:
    """In the order of their kinds. One ends where another begins, if a verb of the question stands between them."""
    starts = [one.start() for one in _CLAUSE.finditer(question)]
    found = []
    for clause in (*_CLAUSE.finditer(question), *_OF.finditer(question)):
        next_one = min((start for start in starts if start > clause.start()), default=len(question))
        whole = question[clause.end() :].split()
        own = question[clause.end() : next_one].split()
        if len(own) < len(whole) and _DECIDES.match(question):
            own = _without_verb(own)
            whole = own if len(own) >= _LEAST_WORDS else whole
        rest = whole[:_CLAUSE_WORDS]
        if len(rest) >= _LEAST_WORDS:
            found.append(f"{clause.group(0)}{' '.join(rest)}".strip(" ,.?;"))
    return found


def _without_verb(words: list[str]) -> list[str]:
    """"owns X follow", "owns X comply with" before the next clause: "owns X". None of "is in charge of": it goes on."""
    kept = words[:-1] if words and words[-1].casefold() in _TIES else words
    return [] if kept and kept[-1].casefold() == "of" else kept[:-1]
