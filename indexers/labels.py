"""The labels of a version's documents, and through them of its rows, at one access epoch."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.version import OpenVersion
from vouch.access import Label, Permissions

DEAD = -1
Allowed = dict[tuple[str, str], frozenset[str]]
_NOBODY: frozenset[str] = frozenset()


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


def label_documents(version: OpenVersion, permissions: Permissions, allowed: Allowed | None = None) -> LabelTable:
    """The labels of the documents of `version`; `allowed` remembers what the rules of this epoch say of places.

    What a former source left under the name of one there is now is nobody's to read.
    """
    known: Allowed = {} if allowed is None else allowed
    foreign = {source for source in {header.source for header in version.headers}
               if version.generation(source) != permissions.generation(source)}
    numbers: dict[Label, int] = {}
    of_document = np.empty(len(version.headers), np.int32)
    for n, header in enumerate(version.headers):
        if header.place not in known:
            known[header.place] = permissions.label(*header.place, None).allowed
        label = Label(_NOBODY if header.source in foreign else known[header.place], header.narrowed)
        of_document[n] = numbers.setdefault(label, len(numbers))
    return LabelTable(tuple(numbers), of_document)


def label_id(label: Label) -> str:
    """Equal for equal labels, anywhere and for ever."""
    narrowed = None if label.narrowed is None else sorted(label.narrowed)
    return hashlib.sha256(json.dumps([sorted(label.allowed), narrowed]).encode()).hexdigest()[:32]
