"""Which contents are one document: what stands or stood at its places, and what it was before it moved.

Two contents belong together if their bytes are equal, or if they share index
rows: a row is given once and stays with its document through edits and moves.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Place
from indexers.purging.inventory import Content, Inventory


@dataclass(frozen=True)
class Lineage:
    """`contents` of one document. `copies` are other places where the same bytes stand today.

    `left` are places it moved away from, where nothing stands today.
    """

    contents: frozenset[Content]
    copies: tuple[Place, ...]
    left: frozenset[Place]

    @property
    def hashes(self) -> set[str]:
        return {digest for _, digest in self.contents}


def trace_lineage(
    holdings: Inventory, places: Collection[Place], hashes: Iterable[str], common: Collection[str]
) -> Lineage:
    """Everything that ever stood at `places` or had one of `hashes`, and what those were before they moved.

    What a document at another place is today is never taken for a former
    state. `common` are hashes that say nothing, as of an empty file.
    """
    return _Search(holdings, set(places), set(hashes) - set(common), set(common)).run()


class _Search:
    def __init__(self, holdings: Inventory, places: set[Place], hashes: set[str], common: set[str]) -> None:
        self._live = holdings.live
        self._places = places
        self._hashes = hashes
        self._common = common
        self._serials: dict[Content, list[NDArray[np.int64]]] = defaultdict(list)
        for holding in holdings.documents:
            self._serials[holding.content].append(holding.serials)
        self._contents = list(self._serials)

    def run(self) -> Lineage:
        contents: set[Content] = set()
        copies: set[Place] = set()
        wanted = [c for c in self._contents if c[0] in self._places]
        wanted += [c for digest in self._hashes for c in self._by_hash[digest]]
        while wanted:
            content = wanted.pop()
            if content in contents:
                continue
            if self._stands_elsewhere(content):
                copies.add(content[0])
                continue
            contents.add(content)
            if content[1] not in self._common:
                wanted += self._by_hash[content[1]]
            if content[0] in self._places or not self._of_another(content):
                wanted += [c for c in self._sharing(content) if c[0] in self._places or not self._of_another(c)]
        left = {place for place, _ in contents} - self._places - self._live.keys()
        return Lineage(frozenset(contents), tuple(sorted(copies)), frozenset(left))

    def _stands_elsewhere(self, content: Content) -> bool:
        place, digest = content
        return place not in self._places and self._live.get(place) == digest

    def _of_another(self, content: Content) -> bool:
        """Whether it is a former state of the document that stands at its place today."""
        place = content[0]
        digest = self._live.get(place)
        if digest is None:
            return False
        own, reached = {(place, digest)}, [(place, digest)]
        while reached:
            near = [c for c in self._sharing(reached.pop()) if c[0] == place and c not in own]
            own.update(near)
            reached += near
        return content in own

    def _sharing(self, content: Content) -> list[Content]:
        """Contents that have an index row in common with this one."""
        serials, owners = self._rows
        mine = np.concatenate([np.empty(0, np.int64), *self._serials[content]])
        starts, ends = np.searchsorted(serials, mine, "left"), np.searchsorted(serials, mine, "right")
        numbers = {int(n) for a, b in zip(starts, ends, strict=True) for n in owners[a:b]}
        return [self._contents[n] for n in sorted(numbers) if self._contents[n] != content]

    @cached_property
    def _rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(serial, number of the content that has it), by serial."""
        held = [np.unique(np.concatenate(self._serials[content])) for content in self._contents]
        serials = np.concatenate([np.empty(0, np.int64), *held])
        owners = np.repeat(np.arange(len(held)), [len(one) for one in held])
        order = np.argsort(serials, kind="stable")
        return serials[order], owners[order]

    @cached_property
    def _by_hash(self) -> dict[str, list[Content]]:
        found: dict[str, list[Content]] = defaultdict(list)
        for content in self._contents:
            found[content[1]].append(content)
        return found
