"""Whom the later history of a content allows, for serving it as it was in an earlier version.

Rules are those of now, and the places are those of then: together they may
allow somebody who was never allowed. So whoever reads a document of an earlier
version must be allowed by each later version that is kept, at the place where
that version has the document.
"""

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Header, Part, Place
from indexers.versions.files import IndexFiles
from indexers.versions.last_grants import FormerRules, LastGrants, Ways
from indexers.versions.version import OpenVersion
from vouch.access import NOBODY, Limits, Stand
from vouch.errors import Damaged, NotFound
from vouch.ports.stores import VersionRow

Serials = NDArray[np.int64]
_MOST_PLACES = 64       # of equal contents that may allow it: thousands of equal files would cost the square of them


class Found(NamedTuple):
    """Limits by place, and the versions that could have said less of them but cannot be read."""

    limits: Mapping[Place, Limits]
    unread: frozenset[int]


def limits_of(
    files: IndexFiles, rows: Iterable[VersionRow], target: OpenVersion, current: int, former: FormerRules
) -> Found:
    """Per place of `target` what limits its document, if that is served while `current` is the current version.

    Compared are the kept versions after the one as of which the documents are,
    up to `current`. Of one of them that cannot be read nobody knows whom it
    allowed: then nobody is. What the current version does not have any more is
    limited besides by the rules in force (`former`) since it was last had.
    Places that nothing limits are left out.
    """
    rows = list(rows)
    published = [row for row in rows if row.state == "published"]
    retired = newest_retired(rows)
    own = next((row for row in published if row.number == target.number), None)
    if own is None:                                         # another ledger's: of what came after it nothing is known
        return Found({header.place: NOBODY for header in target.headers}, frozenset())
    documents = _Documents(target)
    headers = [header for header in target.headers if header.chunks]
    granted = LastGrants(headers, current, cache(former))      # many documents were last had by the same version
    groups_by_place: dict[Place, Limits] = {}
    unread: set[int] = set()
    for row in reversed(published):
        places = [h for h in headers if own.age(h.source) <= row.number <= current]
        if not places:
            continue
        later = documents if row is own else _documents(files, row.number)
        for header in places:
            ways = None if later is None else _ways(later, header, documents)
            if ways is None:
                unread.add(row.number)
            if row.number > retired:                # what took back, since, what an older one had is not known any more
                granted.had(row, own, header, ways)
            if row is not own and own.age(header.source) < row.number:
                _add(groups_by_place, header, _limits(header, ways))
    for header, groups in granted.limits():
        _add(groups_by_place, header, groups)
    limits = {place: NOBODY if () in groups else groups for place, groups in groups_by_place.items()}
    return Found(limits, frozenset(unread))


def _ways(later: "_Documents", header: Header, documents: "_Documents") -> Ways | None:
    """None if it cannot be told what readers were shown of the document there: not every one needs all files."""
    with contextlib.suppress(Damaged):
        return later.ways(header, documents)
    return None


def _add(found: dict[Place, Limits], header: Header, groups: Limits) -> None:
    if groups:
        found[header.place] = tuple(dict.fromkeys((*found.get(header.place, ()), *groups)))


def newest_retired(rows: Iterable[VersionRow]) -> int:
    """What this version, and those before it, took back nobody can tell any more; 0 if none is retired."""
    return max((row.number for row in rows if row.state == "retired"), default=0)


def can_be_read(files: IndexFiles, number: int) -> bool:
    """Whether it can be told which documents the version has, and what readers are shown of each."""
    documents = _documents(files, number)
    return documents is not None and documents.unreadable is None


def _documents(files: IndexFiles, number: int) -> "_Documents | None":
    """None if it cannot be told which documents the version has."""
    with contextlib.suppress(Damaged, NotFound):
        documents = _Documents(files.open(files.manifest(number)))
        documents.check()
        return documents
    return None


class _Documents:
    """The documents of a version: where they are, what they hold, how they narrow themselves. No text is read."""

    def __init__(self, version: OpenVersion) -> None:
        self._version = version

    def check(self) -> None:
        """Raises Damaged. What else of the version is damaged does not matter here."""
        _ = self._by_place, self._by_serial

    @cached_property
    def unreadable(self) -> Damaged | None:
        """What keeps from being told what readers are shown; only documents that changed need that."""
        try:
            for part in self._version.table.parts:
                _ = part.ids
        except Damaged as error:
            return error
        return None

    def ways(self, header: Header, earlier: "_Documents") -> Ways:
        """Where this version has a document of an `earlier` one. Raises Damaged.

        A document is known by its bytes, and through edits by its rows: each of
        its passages is where its row is, or else where all of the bytes are: of
        very many such places the first count, so that fewer people read it. At
        its old place it counts as lost besides if readers are shown other words
        there than then. A text that was written anew where it stood is known by
        its place, unless what stands there came from another place.
        """
        here = self._by_place.get(header.place)
        if here is not None and here.hash == header.hash and here.state == "indexed":
            return Ways(((here,),), unchanged=True)
        same = self._by_hash.get((header.source, header.hash), [])
        groups, lost = dict[tuple[Header, ...], None](), set[int]()
        serials = earlier._serials_of[header.place]
        for serial, holders in zip(serials.tolist(), self._holders(header.source, serials), strict=True):
            stays = here is not None and here in holders
            same_words = here is not None and stays and earlier._said(header)[serial] <= self._said(here)[serial]
            others = (holder for holder in chain(holders, same) if holder is not here)
            elsewhere = tuple(dict.fromkeys(islice(others, _MOST_PLACES)))
            group = (here,) if here is not None and (same_words or (stays and not elsewhere)) else elsewhere
            if group:
                groups[group] = None
            if not same_words and not any(holder.state == "indexed" and holder.hash == header.hash for holder in group):
                lost.add(serial)
        if groups:
            return Ways(tuple(groups), frozenset(lost))
        anew = here is not None and not earlier._of(here, self._serials_of[here.place])
        return Ways(((here,) if here is not None and anew else (),), frozenset(lost))

    def _of(self, header: Header, serials: Serials) -> list[Header]:
        """The documents here that are one of another version, with these index rows."""
        held = [one for holders in self._holders(header.source, serials) for one in holders]
        return [*held, *self._by_hash.get((header.source, header.hash), ())]

    def _holders(self, source: str, serials: Serials) -> Iterator[list[Header]]:
        """Of each of these index rows, the documents of a source here that have it."""
        order, owners = self._by_serial
        starts, ends = np.searchsorted(order, serials, "left"), np.searchsorted(order, serials, "right")
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            places = sorted({self._places[n] for n in owners[start:end].tolist()})
            yield [self._by_place[place] for place in places if place[0] == source]

    @cached_property
    def _by_place(self) -> Mapping[Place, Header]:
        return {header.place: header for header in self._version.headers}

    @cached_property
    def _by_hash(self) -> Mapping[tuple[str, str], list[Header]]:
        found: dict[tuple[str, str], list[Header]] = defaultdict(list)
        for header in self._version.headers:
            found[header.source, header.hash].append(header)
        return found

    @cached_property
    def _serials_of(self) -> dict[Place, Serials]:
        return {place: part.serials[part.firsts[n] : part.firsts[n + 1]] for place, (part, n) in self._held.items()}

    @cached_property
    def _held(self) -> dict[Place, tuple[Part, int]]:
        """The part that has each document, and its number there."""
        table = self._version.table
        return {
            part.headers[n].place: (part, n)
            for part, held in zip(table.parts, table.held, strict=True) for n in np.flatnonzero(held).tolist()
        }

    def _said(self, header: Header) -> dict[int, set[tuple[str, bytes]]]:
        """By row, what readers are shown there: equal input of the models is not yet equal words, links and titles."""
        if self.unreadable is not None:
            raise self.unreadable
        if header.place not in self._shown:
            part, at = self._held[header.place]
            rows, said = slice(part.firsts[at], part.firsts[at + 1]), defaultdict[int, set[tuple[str, bytes]]](set)
            for serial, chunk_id in zip(part.serials[rows].tolist(), part.ids[rows], strict=True):
                said[serial].add((header.title, bytes(chunk_id)))       # an id is made of place, section and words
            self._shown[header.place] = said
        return self._shown[header.place]

    @cached_property
    def _shown(self) -> dict[Place, dict[int, set[tuple[str, bytes]]]]:
        return {}

    @cached_property
    def _places(self) -> list[Place]:
        return list(self._serials_of)

    @cached_property
    def _by_serial(self) -> tuple[Serials, Serials]:
        """(serial, number of the document that has it), by serial."""
        serials = np.concatenate([np.empty(0, np.int64), *self._serials_of.values()])
        owners = np.repeat(np.arange(len(self._places)), [len(one) for one in self._serials_of.values()])
        order = np.argsort(serials, kind="stable")
        return serials[order], owners[order]


def _limits(header: Header, ways: Ways | None) -> Limits:
    """By the rules of now; None: it cannot be told where it is. One that could not be read, nobody may read."""
    if ways is None:
        return NOBODY
    groups = (tuple(Stand(one.path, one.narrowed) for one in group if one.state == "indexed") for group in ways.groups)
    # Whoever may read the document meets some already.
    return tuple(group for group in groups
                 if not any(one.path == header.path and one.narrowed in (None, header.narrowed) for one in group))
