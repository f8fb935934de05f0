"""Bridging: names and rare words of a passage that the question does not hold lead to the next one."""

import re
from collections.abc import Callable, Sequence

from vouch.documents.chunk import plain
from vouch.ports.index import View
from vouch.retrieval.candidate import Passage

MOST_WORDS = 4                          # of one passage
LONGEST = 60                            # characters of a name
READ = 2000                             # characters of a passage
_NAME = re.compile(r"\b[A-Z][\w&’'-]*(?: (?:of |the |de |von )?[A-Z0-9][\w&’'-]*)*")

Analyse = Callable[[str], list[str]]


def bridging_words(view: View, passage: Passage, question: str, analyse: Analyse) -> tuple[str, ...]:
    """Title first, then the names whose rarest word fewest visible passages hold; ties in order of appearance."""
    text = plain(passage.text[:READ])
    titles = [passage.title[:LONGEST], *(part[:LONGEST] for part in passage.section[-1:])]
    names = list(dict.fromkeys([*titles, *(name.group(0)[:LONGEST] for name in _NAME.finditer(text))]))
    asked = set(analyse(question))
    new = {name: terms for name in names if (terms := [t for t in analyse(name) if t not in asked])}
    held = view.statistics(dict.fromkeys(t for terms in new.values() for t in terms)).frequency
    rarity = {name: min(held.get(term, 0) for term in terms) for name, terms in new.items()}
    ranked = sorted(new, key=lambda name: (name not in titles, rarity[name], names.index(name)))
    return _apart(ranked, new)[:MOST_WORDS]


def _apart(names: Sequence[str], terms: dict[str, list[str]]) -> tuple[str, ...]:
    """Without those whose words stand in the ones before."""
    said: set[str] = set()
    kept = []
    for name in names:
        if not said.issuperset(terms[name]):
            kept.append(name)
            said.update(terms[name])
    return tuple(kept)
