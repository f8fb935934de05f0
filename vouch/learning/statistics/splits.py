"""Which data a model learns from and is judged on; questions that ask the same stay on one side.

A split depends on names alone, so data that grows keeps its old members
where they were, and no later model is judged on what an earlier one learned.
"""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

Split = Literal["train", "calibration", "test"]
_SHARES: tuple[tuple[Split, float], ...] = (("train", 0.6), ("calibration", 0.2), ("test", 0.2))


def split_of(name: str) -> Split:
    """60 % train, 20 % calibration, 20 % test, by sha256 of an article, title or question; case and space ignored."""
    digest = hashlib.sha256(f"vouch {' '.join(name.casefold().split())}".encode()).digest()
    point = int.from_bytes(digest[:8], "big") / 2**64
    for split, share in _SHARES:
        point -= share
        if point < 0:
            return split
    return "test"


def united(groups: Iterable[Sequence[str]]) -> list[str]:
    """For each group of names the smallest name it is tied to, through any chain of shared names.

    Questions whose passages share an article so land in one split.
    """
    groups = [list(group) for group in groups]
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for group in groups:
        for name in group[1:]:
            first, second = sorted((root(group[0]), root(name)))
            parent[second] = first
    return [root(group[0]) if group else "" for group in groups]


ALIKE = 0.7                             # of all terms of two questions, the share that both have: Jaccard


def groups(questions: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """By text of a question the name of its group: the smallest name of those it is tied to, through any chain.

    `questions` are texts with the analyser's terms. Two are tied if at least ALIKE of their terms are the same.
    """
    terms_of = {text: frozenset(terms) for text, terms in questions}
    name_of = {text: " ".join(sorted(terms)) or " ".join(text.casefold().split()) for text, terms in terms_of.items()}
    ties = _Ties({name_of[text]: terms for text, terms in sorted(terms_of.items())})
    return {text: ties.root(name) for text, name in name_of.items()}


class _Ties:
    """Takes memory for each set, not for each pair; a set is compared with a group until the first tie to it.

    Of two sets that are alike, the rarest terms of both overlap: only those that do are compared.
    """

    def __init__(self, sets: dict[str, frozenset[str]]) -> None:
        self._sets = sets
        self._parent = {name: name for name in sets}
        self._seen: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)    # by rare term and root
        frequency = Counter(term for terms in sets.values() for term in terms)
        for name, terms in sorted(sets.items()):
            rarest = sorted(terms, key=lambda term: (frequency[term], term))
            rarest = rarest[: len(terms) - math.ceil(ALIKE * len(terms) - 1e-9) + 1]
            self._tie(name, rarest)
            for term in rarest:
                self._seen[term].setdefault(self.root(name), []).append(name)

    def root(self, name: str) -> str:
        """The smallest name of its group."""
        parent = self._parent
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    def _tie(self, name: str, rarest: Iterable[str]) -> None:
        compared = set[str]()
        for term in rarest:
            self._regroup(term)
            for group, members in self._seen[term].items():
                if self.root(group) != self.root(name) and self._touches(name, members, compared):
                    first, second = sorted((self.root(group), self.root(name)))
                    self._parent[second] = first

    def _touches(self, name: str, members: Iterable[str], compared: set[str]) -> bool:
        for other in members:
            if other not in compared:
                compared.add(other)
                if _alike(self._sets[name], self._sets[other]):
                    return True
        return False

    def _regroup(self, term: str) -> None:
        """What has been united since is one group of this term too."""
        seen = self._seen[term]
        for former in [group for group in seen if self._parent[group] != group]:
            root, members = self.root(former), seen.pop(former)
            fewer, more = sorted((seen.get(root, []), members), key=len)
            more.extend(fewer)
            seen[root] = more


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    both = len(one & other)
    return both >= ALIKE * (len(one) + len(other) - both) - 1e-9
