"""All rows of a version, whoever may read them: what vouch itself has no means to search."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexers.segments.segment import RowTable
from indexers.versions.version import OpenVersion


@dataclass(frozen=True, eq=False)
class EveryRow:
    """Engines take it for rows that somebody may read."""

    table: RowTable
    mask: NDArray[np.bool_]
    count: int
    kept: dict[str, Any] = field(default_factory=dict)


def every_row(version: OpenVersion) -> EveryRow:
    live = version.rows.live
    return EveryRow(version.rows, live, int(np.count_nonzero(live)))
