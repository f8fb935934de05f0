"""What people saw of recorded answers, and what of it they found helpful: what propensities are estimated from."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from vouch.learning.labels.label import Label
from vouch.learning.labels.propensity import Looks
from vouch.retrieval.features import FEATURE_NAMES, FEATURE_SCHEMA

REACTIONS = frozenset({"vote", "behaviour"})
Row = Mapping[str, Any]                 # a candidate as the ledger keeps it


def looks_of(
    labels: Sequence[Label], recorded: Mapping[str, Sequence[Row]], swapped: Mapping[str, Sequence[int]]
) -> Looks:
    """Of the answers that people reacted to, a row for each passage that the answer was made from.

    `recorded` are the candidates by answer, `swapped` the two positions of the final order that its trace marks. A
    passage stood where the labels say, or else where the writer was given it; it helped if a vote or behaviour
    calls it relevant. Rows of another feature schema have no part.
    """
    helped: defaultdict[str, set[str]] = defaultdict(set)
    stood: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for one in labels:
        if one.answer_id and one.position is not None:
            stood[one.answer_id][one.chunk_id] = one.position
        if one.answer_id and one.source in REACTIONS:
            helped[one.answer_id].update([one.chunk_id] if one.relevance > 0 else [])
    found = [
        (place, ranked, row["chunk_id"] in helpful, [float(row["features"][name]) for name in FEATURE_NAMES])
        for answer, helpful in sorted(helped.items())
        for row, place, ranked in _shown(recorded.get(answer, ()), stood[answer], swapped.get(answer, ()))
    ]
    place, ranked, helpful, features = zip(*found, strict=True) if found else ((), (), (), ())
    return Looks(
        np.array(place, dtype=np.int64), np.array(ranked, dtype=np.int64), np.array(helpful, dtype=np.float64),
        np.array(features, dtype=np.float64).reshape(len(found), len(FEATURE_NAMES)),
    )


def _shown(
    rows: Sequence[Row], stood: Mapping[str, int], swapped: Sequence[int]
) -> Iterator[tuple[Row, int, int]]:
    """With the place where it stood, and the one where it would have stood without the swap."""
    given = [row for row in rows if row["shown"] is not None]
    place = {row["chunk_id"]: stood.get(row["chunk_id"], row["shown"]) for row in given}
    ranked, moved = dict(place), [row["chunk_id"] for row in given if row["position"] in swapped]
    if len(moved) == 2:
        ranked[moved[0]], ranked[moved[1]] = place[moved[1]], place[moved[0]]
    for row in given:
        if row["schema"] == FEATURE_SCHEMA and row["features"].keys() == set(FEATURE_NAMES):
            yield row, place[row["chunk_id"]], ranked[row["chunk_id"]]
