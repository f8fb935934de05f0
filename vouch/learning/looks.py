"""What people saw of recorded answers, and what of it they found helpful: what propensities are estimated from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vouch.learning.caps import COUNTED
from vouch.learning.labels import Label
from vouch.learning.propensity import Looks
from vouch.retrieval.features import FEATURE_NAMES, FEATURE_SCHEMA
from vouch.retrieval.swaps import places_before

Row = Mapping[str, Any]                 # a candidate as the ledger keeps it


def looks_of(
    labels: Sequence[Label], recorded: Mapping[str, Sequence[Row]], swapped: Mapping[str, Sequence[int]]
) -> Looks:
    """Of the answers that people reacted to, a row for each passage that the answer was made from.

    `recorded` are the candidates by answer, `swapped` the positions that its trace marks as changed. A passage
    helped if a vote or behaviour calls it relevant. Rows of another feature schema have no part.
    """
    helped: defaultdict[str, set[str]] = defaultdict(set)
    for one in labels:
        if one.answer_id and one.source in COUNTED:
            helped[one.answer_id].update([one.chunk_id] if one.relevance > 0 else [])
    found = [
        (row["position"], ranked, row["chunk_id"] in helpful, [float(row["features"][name]) for name in FEATURE_NAMES])
        for answer, helpful in sorted(helped.items())
        for row, ranked in _shown(recorded.get(answer, ()), swapped.get(answer, ()))
    ]
    place, ranked, helpful, features = zip(*found, strict=True) if found else ((), (), (), ())
    return Looks(
        np.array(place, dtype=np.int64), np.array(ranked, dtype=np.int64), np.array(helpful, dtype=np.float64),
        np.array(features, dtype=np.float64).reshape(len(found), len(FEATURE_NAMES)),
    )


def _shown(rows: Sequence[Row], swapped: Sequence[int]) -> list[tuple[Row, int]]:
    """With the position that the ranking had given."""
    before = places_before(max((row["position"] for row in rows), default=0), swapped)
    return [
        (row, before[row["position"] - 1]) for row in rows
        if row["shown"] is not None and row["schema"] == FEATURE_SCHEMA and row["features"].keys() == set(FEATURE_NAMES)
    ]
