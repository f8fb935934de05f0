"""What each feature added to the score of a candidate, from the features that were kept with the answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from vouch.errors import BadInput
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.fusion_model import LearnedFusion
from vouch.ports.index import Contribution, Fusion
from vouch.ports.models import Evaluator
from vouch.retrieval.fusion import ReciprocalRanks

Rows = Sequence[Mapping[str, Any]]


class Judge(Protocol):
    @property
    def evaluator(self) -> Evaluator: ...

    @property
    def name(self) -> str: ...


class Serving(Protocol):
    """The models that answers are made with at this moment."""

    @property
    def fusion(self) -> Fusion: ...

    @property
    def check(self) -> Callable[[], Judge]: ...


@dataclass(frozen=True)
class Contributions:
    """Of an answer's own fusion and evaluator, as long as they serve: those of others would not be its."""

    serving: Callable[[], Serving]

    def of(self, body: Mapping[str, Any], rows: Rows) -> dict[str, dict[str, Any]]:
        """By chunk id `fused_of` and `judged_of`, most first; empty where what made them does not serve any more."""
        serving = self.serving()
        judge = serving.check()
        fused = _fused(serving.fusion, body.get("fused_by", ""), rows)
        evaluator = judge.evaluator if judge.name == body.get("judged_by") else None
        return {
            row["chunk_id"]: {"fused_of": _most_first(fused.get(row["chunk_id"], [])),
                              "judged_of": _most_first(_judged(evaluator, row))}
            for row in rows
        }


def _fused(fusion: Fusion, name: str, rows: Rows) -> dict[str, list[Contribution]]:
    if fusion.name != name:
        return {}
    ranked = [row for row in rows if row["lexical_rank"] or row["dense_rank"]]     # the rest was drawn in beside these
    if isinstance(fusion, ReciprocalRanks):
        return {row["chunk_id"]: fusion.of_ranks(row["lexical_rank"], row["dense_rank"]) for row in ranked}
    if not isinstance(fusion, LearnedFusion):
        return {}
    try:
        made_of = fusion.explain_kept([row["features"] for row in ranked])
    except BadInput:                    # of another schema
        return {}
    return {row["chunk_id"]: parts for row, parts in zip(ranked, made_of, strict=True)}


def _judged(evaluator: Evaluator | None, row: Mapping[str, Any]) -> list[Contribution]:
    if not isinstance(evaluator, EvaluatorModel) or row["probability"] is None:
        return []
    try:
        return evaluator.explain(row["evidence"])
    except BadInput:
        return []


def _most_first(parts: Sequence[Contribution]) -> list[dict[str, Any]]:
    return [asdict(one) for one in sorted(parts, key=lambda one: -abs(one.adds))]
