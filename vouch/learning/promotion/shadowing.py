"""What would have been different if the shadow had fused: from recorded candidates alone, and without a second search.

The order that was recorded is compared with the shadow's order of the same
candidates, both before the reranker. Overlap at depth 10 is the share of the
first ten that both orders have, |A10 and B10| / 10 (Webber, Moffat and Zobel,
TOIS 2010). The features were recorded as the fusion saw them, but for
passages that hold orders to a model: those count without these sentences.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vouch.learning.models.fusion_model import FusionModel
from vouch.retrieval.experiments import INTERLEAVED
from vouch.retrieval.fusion_features import FEATURE_SCHEMA, in_order, usable_features

DEPTH, FIRST = 10, 3
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """`question`: what was searched for. `rows`: its candidates as the ledger keeps them. `votes`: 1 or -1 each."""

    question: str
    fused_by: str
    rows: Sequence[Row]
    asker: str = "public"
    votes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Difference:
    overlap: float
    falls_to: int                       # the place of the recorded first in the shadow's order
    three: bool                         # other passages are the first three
    cited: int
    cited_read: int                     # of them, how many the reranker would still have read


@dataclass
class Comparison:
    """Grows by `add`. Shares are of the answers that were compared."""

    skipped: int = 0                    # features of another schema, or none that can be used
    interleaved: int = 0                # their order was not the current model's alone
    _found: list[_Difference] = field(default_factory=list)

    def add(self, model: FusionModel, answer: RankedAnswer) -> None:
        rows = [row for row in answer.rows if row["fused_rank"]]
        if not rows:                    # nothing was searched, or it was tidied away
            return
        if INTERLEAVED in answer.fused_by:
            self.interleaved += 1
        elif any(row["schema"] != FEATURE_SCHEMA or not usable_features(row["features"]) for row in rows):
            self.skipped += 1
        else:
            self._found.append(_difference(model, rows))

    @property
    def answers(self) -> int:
        return len(self._found)

    def figures(self) -> dict[str, float | int]:
        """None of them but the counts, where nothing was compared."""
        counts: dict[str, float | int] = {
            "answers": self.answers, "other_schema": self.skipped, "interleaved": self.interleaved,
        }
        if not self._found:
            return counts
        changed = [difference for difference in self._found if difference.falls_to > 1]
        cited = sum(difference.cited for difference in self._found)
        figures = {
            "overlap@10": _mean([difference.overlap for difference in self._found]),
            "first_changes": _mean([difference.falls_to > 1 for difference in self._found]),
            "first_three_change": _mean([difference.three for difference in self._found]),
        }
        if changed:
            figures["first_falls_to"] = _mean([difference.falls_to for difference in changed])
        if cited:
            figures["cited_still_read"] = round(sum(difference.cited_read for difference in self._found) / cited, 4)
        return {**counts, **figures}


def compared(model: FusionModel, answers: Iterable[RankedAnswer]) -> Comparison:
    found = Comparison()
    for answer in answers:
        found.add(model, answer)
    return found


def shadow_order(model: FusionModel, rows: Sequence[Row]) -> list[str]:
    """Chunk ids of the rows, best first by the model, ties by id, as the fusion orders them."""
    matrix = np.array([in_order(row["features"]) for row in rows], dtype=np.float64)
    scores = model.scores(matrix)
    return [rows[n]["chunk_id"] for n in sorted(range(len(rows)), key=lambda n: (-scores[n], rows[n]["chunk_id"]))]


def _difference(model: FusionModel, rows: Sequence[Row]) -> _Difference:
    recorded = [row["chunk_id"] for row in sorted(rows, key=lambda row: row["fused_rank"])]
    shadow = shadow_order(model, rows)
    depth = min(DEPTH, len(rows))
    read = sum(row["rerank_rank"] is not None for row in rows)
    cited = {row["chunk_id"] for row in rows if row["cited"]}
    return _Difference(
        len({*recorded[:depth]} & {*shadow[:depth]}) / depth, shadow.index(recorded[0]) + 1,
        {*recorded[:FIRST]} != {*shadow[:FIRST]}, len(cited), len(cited & {*shadow[:read]}),
    )


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)
