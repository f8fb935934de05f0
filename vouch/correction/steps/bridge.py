"""Bridging: names and rare words of a passage that the question does not hold lead to the next one."""

import re
from collections.abc import Callable, Sequence

from vouch.documents.chunk import plain
from vouch.ports.index import View
from vouch.retrieval.candidate import Passage

MOST_WORDS = 4                          # of one passage
LONGEST = 60                            # characters of a name
RARE = 5                                # visible passages that hold a rare word, or one in a hundred of all; never half
READ = 2000                             # characters of a passage
_NAME = re.compile(r"\b[A-Z][\w&’'-]*(?: (?:of |the |de |von )?[A-Z0-9][\w&’'-]*)*")
_WORD = re.compile(r"\b[a-z0-9][\w-]{2,}\b")
"""One that no other passage holds leads nowhere; of a name as much as its rarest word does."""

Analyse = Callable[[str], list[str]]


def bridging_words(view: View, passage: Passage, question: str, analyse: Analyse) -> tuple[str, ...]:
    """Title first, then the names whose rarest word fewest visible passages hold, then rare words, as there is room."""
    text = plain(passage.text[:READ])
    titles = [passage.title[:LONGEST], *(part[:LONGEST] for part in passage.section[-1:])]
    names = list(dict.fromkeys([*titles, *(name.group(0)[:LONGEST] for name in _NAME.finditer(text))]))
    words = list(dict.fromkeys(word.group(0)[:LONGEST] for word in _WORD.finditer(text)))
    asked = set(analyse(question))
    new = {one: terms for one in [*names, *words] if (terms := [t for t in analyse(one) if t not in asked])}
    counted = view.statistics(dict.fromkeys(t for terms in new.values() for t in terms))
    rarity = {one: min(counted.frequency.get(term, 0) for term in terms) for one, terms in new.items()}
    ranked = sorted((one for one in names if one in new), key=lambda name: (name not in titles, rarity[name]))
    most = min(max(RARE, counted.rows // 100), counted.rows // 2)
    rare = sorted((one for one in words if one in new and 1 < rarity[one] <= most), key=lambda word: rarity[word])
    return _apart([*ranked, *rare], new)[:MOST_WORDS]


def _apart(names: Sequence[str], terms: dict[str, list[str]]) -> tuple[str, ...]:
    """Without those whose words stand in the ones before."""
    said: set[str] = set()
    kept = []
    for name in names:
        if not said.issuperset(terms[name]):
            kept.append(name)
            said.update(terms[name])
    return tuple(kept)
