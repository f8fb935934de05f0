"""The labels of a version's documents, and through them of its rows, at one access epoch."""

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.versions.version import OpenVersion
from vouch.access import Label, Permissions

DEAD = -1
Known = dict[tuple[str, str], Label]
_NOBODY = Label(frozenset())


@dataclass(frozen=True, eq=False)
class LabelTable:
    """`of_document` numbers `labels`, per document of one version."""

    labels: tuple[Label, ...]
    of_document: NDArray[np.int32]
    _made: dict[str, Any] = field(default_factory=dict)

    def of_rows(self, version: OpenVersion) -> NDArray[np.int32]:
        """The number of the label of each row of that version, DEAD where no chunk lives."""
        if "rows" not in self._made:
            rows = np.full(len(version.rows.live), DEAD, np.int32)
            rows[version.row_of_chunk] = self.of_document[version.chunks.documents]
            self._made["rows"] = rows
        return self._made["rows"]  # type: ignore[no-any-return]

    @property
    def ids(self) -> list[str]:
        return [label_id(label) for label in self.labels]


def label_documents(version: OpenVersion, permissions: Permissions, known: Known | None = None) -> LabelTable:
    """The labels of the documents of `version`; `known` remembers those of places at this epoch.

    What a former source left under the name of one there is now is nobody's to read.
    """
    places: Known = {} if known is None else known
    foreign = version.foreign(permissions.generations)
    numbers: dict[Label, int] = {}
    of_document = np.empty(len(version.headers), np.int32)
    for n, header in enumerate(version.headers):
        if header.source in foreign:
            label = _NOBODY
        elif version.limits and header.place in version.limits:
            label = permissions.label(*header.place, header.narrowed, version.limits[header.place])
        else:
            label = places.get(header.place) or places.setdefault(
                header.place, permissions.label(*header.place, None))
            if header.narrowed is not None:
                label = replace(label, narrowed=header.narrowed)
        of_document[n] = numbers.setdefault(label, len(numbers))
    return LabelTable(tuple(numbers), of_document)


def label_id(label: Label) -> str:
    """Equal for equal labels, anywhere and for ever."""
    return hashlib.sha256(json.dumps(_plain(label)).encode()).hexdigest()[:32]


def _plain(label: Label) -> list[Any]:
    narrowed = None if label.narrowed is None else sorted(label.narrowed)
    found: list[Any] = [sorted(label.allowed), narrowed]
    if label.earlier or label.limits:                       # else as it always was: labels on a server stay
        found.append(sorted(map(sorted, label.earlier)))
        found.append([[_plain(one) for one in group] for group in label.limits])
    return found
