"""From permissions and filters to rows: which rows of a version an audience may read.

A document's label is interned once per version and access epoch, an
audience's readable labels once per audience digest, a row mask once per set
of readable labels and filters.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import InitVar, dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from indexers.parts.document_parts import Header
from indexers.search.labels import Known, LabelTable, label_documents
from indexers.segments.segment import RowTable
from indexers.versions.version import OpenVersion
from vouch.access import PUBLIC, Audience, Permissions, Reader
from vouch.filters import EVERYTHING, Filters

Documents = NDArray[np.bool_]


def filtered(
    version: OpenVersion, permissions: Permissions | None, documents: Documents, filters: Filters
) -> Documents:
    """Those of `documents` that meet `filters`, chosen by source, path, date, and who looks after them alone.

    Without permissions nobody is known to look after any.

    Documents outside are not looked at: neither what is found nor how long that takes tells of them.
    """
    if not filters:
        return documents
    mask = np.zeros(len(documents), np.bool_)
    headers = version.headers
    for number in np.flatnonzero(documents).tolist():
        header = headers[number]
        mask[number] = filters.places(header.source, header.path) and _dated(version, number, filters) \
            and _owned(permissions, header, filters)
    return mask


def _dated(version: OpenVersion, number: int, filters: Filters) -> bool:
    return filters.after is None or filters.dates(version.stored(number).record.changed_at)


def _owned(permissions: Permissions | None, header: Header, filters: Filters) -> bool:
    if not filters.owners or permissions is None:
        return not filters.owners
    return filters.owned(permissions.owners_of(header.source, header.path, header.owners))


_SEAL = object()
_TABLES, _AUDIENCES, _MASKS, _NARROWED = 2, 256, 64, 16   # kept of each version that is open
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class VisibleRows:
    """The live rows of one version that one audience may read, or a part of them; possibly none."""

    table: RowTable
    mask: NDArray[np.bool_]
    count: int
    seal: InitVar[object]
    kept: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("rows are made by indexers.search.visibility, from permissions")


def unexpired(audience: Audience, now: datetime) -> Audience:
    """`audience` with every reader whose knowledge has ended reduced to what the public may read."""
    return Audience(
        tuple(
            Reader(r.name, frozenset({PUBLIC})) if r.expires is not None and now >= r.expires else r
            for r in audience.readers
        )
    )


class Visibility:
    """Computes visible rows and keeps the latest of them. Safe to share between threads.

    What it keeps belongs to an open version and not to its number: a purge
    changes what a number holds, and a version may stand in for another one.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._known: tuple[int, Known] = (-1, {})
        self._of: WeakKeyDictionary[OpenVersion, _Computed] = WeakKeyDictionary()

    def rows(
        self, version: OpenVersion, permissions: Permissions, audience: Audience, now: datetime,
        filters: Filters = EVERYTHING,
    ) -> VisibleRows:  # fmt: skip
        """What `audience` may read of `version` under `permissions`, as far as `filters` leave it; nothing doubtful."""
        audience, epoch = unexpired(audience, now), permissions.epoch
        with self._lock:
            computed = self._of.setdefault(version, _Computed())
            table = computed.tables.get(epoch, lambda: self._label(version, permissions))
            readable = computed.readable.get((epoch, audience.digest), lambda: _readable(table, audience))
            key = (epoch, readable.tobytes(), filters)
            if not filters:
                return computed.masks.get(key, lambda: _visible(version, permissions, table, readable, filters))
            if key in computed.narrowed:
                return computed.narrowed[key]
        # Strangers write filters, and one may take long: nobody else waits for it.
        found = _visible(version, permissions, table, readable, filters)
        with self._lock:
            return computed.narrowed.get(key, lambda: found)

    def _label(self, version: OpenVersion, permissions: Permissions) -> LabelTable:
        epoch, known = self._known
        if epoch != permissions.epoch:
            known = {}
            self._known = (permissions.epoch, known)
        return label_documents(version, permissions, known)


def _readable(table: LabelTable, audience: Audience) -> NDArray[np.bool_]:
    return np.array([audience.may_read(label) for label in table.labels], np.bool_)


def _visible(
    version: OpenVersion, permissions: Permissions, table: LabelTable, readable: NDArray[np.bool_], filters: Filters
) -> VisibleRows:
    mask = np.zeros(len(version.rows.live), np.bool_)
    if len(table.labels):
        documents = filtered(version, permissions, readable[table.of_document], filters)
        mask[version.row_of_chunk] = documents[version.chunks.documents]
    return _sealed(version, mask)


def narrowed(version: OpenVersion, rows: VisibleRows, filters: Filters) -> VisibleRows:
    """Of `rows` of this version those whose documents meet `filters`; never one more."""
    shown = np.zeros(len(version.headers), np.bool_)
    shown[version.chunks.documents[rows.mask[version.row_of_chunk]]] = True
    documents = filtered(version, None, shown, filters)
    mask = np.zeros(len(rows.mask), np.bool_)
    mask[version.row_of_chunk] = documents[version.chunks.documents]
    return _sealed(version, mask & rows.mask)


def _sealed(version: OpenVersion, mask: NDArray[np.bool_]) -> VisibleRows:
    mask.flags.writeable = False
    return VisibleRows(version.rows, mask, int(np.count_nonzero(mask)), _SEAL)


class _Kept(OrderedDict[Hashable, T]):
    """The values used last, at most `most` of them."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def get(self, key: Hashable, make: Callable[[], T]) -> T:  # type: ignore[override]
        if key not in self:
            self[key] = make()
            while len(self) > self._most:
                self.popitem(last=False)
        self.move_to_end(key)
        return self[key]


class _Computed:
    """Of one open version. Refers to nothing that would keep it open."""

    def __init__(self) -> None:
        self.tables: _Kept[LabelTable] = _Kept(_TABLES)
        self.readable: _Kept[NDArray[np.bool_]] = _Kept(_AUDIENCES)
        self.masks: _Kept[VisibleRows] = _Kept(_MASKS)
        self.narrowed: _Kept[VisibleRows] = _Kept(_NARROWED)     # apart: what one asks for displaces nobody's mask
