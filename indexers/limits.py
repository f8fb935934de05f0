"""Whom the later history of a content allows, for serving it as it was in an earlier version.

Rules are those of now, and the places are those of then: together they may
allow somebody who was never allowed. So whoever reads a document of an earlier
version must be allowed by each later version that is kept, at the place where
that version has the document.
"""

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexers.files import IndexFiles
from indexers.last_grants import FormerRules, LastGrants
from indexers.parts import Header, Place
from indexers.version import OpenVersion
from vouch.access import NOBODY, Limits, Stand
from vouch.errors import Damaged, NotFound
from vouch.ports.version_store import VersionRow

Serials = NDArray[np.int64]


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
    limited besides by the rules in force when it was last had (`former`).
    Places that nothing limits are left out.
    """
    published = [row for row in rows if row.state == "published"]
    own = next((row for row in published if row.number == target.number), None)
    if own is None:                                         # another ledger's: of what came after it nothing is known
        return Found({header.place: NOBODY for header in target.headers}, frozenset())
    documents = _Documents(target)
    held = [header for header in target.headers if header.chunks]
    granted = LastGrants(held, current, cache(former))      # many documents were last had by the same version
    found: dict[Place, Limits] = {}
    unread: set[int] = set()
    for row in published:
        places = [h for h in held if own.age(h.source) <= row.number <= current]
        if not places:
            continue
        later = documents if row is own else _documents(files, row.number)
        if later is None:
            unread.add(row.number)
        else:
            granted.had(row, later.with_content)
        for header in places if row is not own else ():
            if own.age(header.source) < row.number:
                _add(found, header, NOBODY if later is None else later.limits(header, documents))
    for header, groups in granted.limits():
        _add(found, header, groups)
    limits = {place: NOBODY if () in groups else groups for place, groups in found.items()}
    return Found(limits, frozenset(unread))


def _add(found: dict[Place, Limits], header: Header, groups: Limits) -> None:
    if groups:
        found[header.place] = tuple(dict.fromkeys((*found.get(header.place, ()), *groups)))


def can_be_read(files: IndexFiles, number: int) -> bool:
    """Whether it can be told which documents the version has."""
    return _documents(files, number) is not None


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

    def limits(self, header: Header, earlier: "_Documents") -> Limits:
        """What this version says of a document of an `earlier` one; nothing if it says the same.

        A document is known by its bytes, and through edits by its rows. A text
        that was written anew where it stood is known by its place, unless what
        stands there came from another place.
        """
        here = self._by_place.get(header.place)
        if here is not None and here.hash == header.hash and here.state == "indexed":
            return _limits(header, [here])
        related = self._related(header, earlier._serials_of[header.place])
        if here is not None and here in related:
            return _limits(header, [here])
        if here is not None and not related and not earlier._related(here, self._serials_of[here.place]):
            return _limits(header, [here])
        return _limits(header, related)

    def with_content(self, header: Header) -> list[Header]:
        """The documents of the same source that have its bytes, and can be read."""
        return [one for one in self._by_hash.get((header.source, header.hash), ()) if one.state == "indexed"]

    def _related(self, header: Header, serials: Serials) -> list[Header]:
        """The documents here that are one of another version, with these index rows."""
        order, owners = self._by_serial
        starts, ends = np.searchsorted(order, serials, "left"), np.searchsorted(order, serials, "right")
        places = {self._places[int(n)] for a, b in zip(starts, ends, strict=True) for n in owners[a:b]}
        same = {one.place for one in self._by_hash.get((header.source, header.hash), ())}
        return [self._by_place[place] for place in sorted(places | same) if place[0] == header.source]

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
        table = self._version.table
        return {
            part.headers[n].place: part.serials[part.firsts[n] : part.firsts[n + 1]]
            for part, held in zip(table.parts, table.held, strict=True) for n in np.flatnonzero(held).tolist()
        }

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


def _limits(header: Header, ways: Iterable[Header]) -> Limits:
    """That one of `ways` can be read. One that could not be read for what it is, nobody may read."""
    stands = tuple(Stand(way.path, way.narrowed) for way in ways if way.state == "indexed")
    if any(one.path == header.path and one.narrowed in (None, header.narrowed) for one in stands):
        return ()                       # whoever may read the document meets that already
    return (stands,)
