"""What features add, from what was kept with an answer, is what scores and probabilities are made of."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from services.answering.contributions import Contributions
from services.answering.traces import strips
from vouch.correction.outcome import waterfall
from vouch.errors import BadInput
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA, kept_matrix

DRAWN = np.random.default_rng(7)
EVALUATOR = load_evaluator()


def row(chunk: str, lexical: int | None, dense: int | None, **values: Any) -> dict[str, Any]:
    features = dict(zip(FEATURE_NAMES, DRAWN.normal(size=len(FEATURE_NAMES)).tolist(), strict=True))
    evidence = {name: float(DRAWN.normal(term.mean, term.scale)) for name, term in EVALUATOR.terms.items()}
    flags = {term.unless: 0.0 for term in EVALUATOR.terms.values() if term.unless}
    return {"chunk_id": chunk, "lexical_rank": lexical, "dense_rank": dense, "features": features,
            "evidence": evidence | flags, "probability": 0.5, **values}


def serving(fusion: Any, name: str = "judge") -> Contributions:
    judge = SimpleNamespace(evaluator=EVALUATOR, name=name)
    found: Any = SimpleNamespace(fusion=fusion, check=lambda: judge)
    return Contributions(lambda: found)


def learned() -> LearnedFusion:
    terms = {name: {"mean": 0.1, "scale": 0.5, "weight": 0.3} for name in ("bm25_score", "bm25_share*question_rare")}
    model = FusionModel.model_validate({"feature_schema": FEATURE_SCHEMA, "terms": terms})
    return LearnedFusion(model, analyser=None)  # type: ignore[arg-type]


def test_the_parts_of_a_learned_score_add_up_to_it() -> None:
    fusion, rows = learned(), [row("a", 1, None), row("b", 2, 1)]
    made = serving(fusion).of({"fused_by": fusion.name, "judged_by": "judge"}, rows)
    scores = fusion.model.scores(kept_matrix([one["features"] for one in rows]))
    assert [sum(part["adds"] for part in made[one["chunk_id"]]["fused_of"]) for one in rows] == pytest.approx(scores)
    adds = [abs(part["adds"]) for part in made["a"]["fused_of"]]
    assert adds == sorted(adds, reverse=True)


def test_the_parts_of_a_probability_differ_from_its_log_odds_by_one_number() -> None:
    rows = [row(str(n), 1, 1) for n in range(5)]
    made = serving(ReciprocalRanks()).of({"fused_by": "", "judged_by": "judge"}, rows)
    odds = [math.log(p / (1 - p)) for p in EVALUATOR.probabilities_of([one["evidence"] for one in rows])]
    rest = [odd - sum(part["adds"] for part in made[one["chunk_id"]]["judged_of"])
            for odd, one in zip(odds, rows, strict=True)]
    assert rest == pytest.approx([rest[0]] * 5)


def test_what_another_model_made_is_not_explained_by_this_one() -> None:
    made = serving(ReciprocalRanks(), "another").of({"fused_by": "fusion-1", "judged_by": "judge"}, [row("a", 1, 1)])
    assert made == {"a": {"fused_of": [], "judged_of": []}}


def test_passages_that_were_drawn_in_or_not_judged_have_no_parts() -> None:
    body = {"fused_by": "reciprocal ranks", "judged_by": "judge"}
    made = serving(ReciprocalRanks()).of(body, [row("a", None, None, probability=None)])
    assert made == {"a": {"fused_of": [], "judged_of": []}}


def test_features_of_another_schema_explain_nothing() -> None:
    with pytest.raises(BadInput):
        kept_matrix([{"bm25_score": 1.0}])
    fusion = learned()
    made = serving(fusion).of({"fused_by": fusion.name}, [row("a", 1, 1, features={}, evidence={})])
    assert made == {"a": {"fused_of": [], "judged_of": []}}


def test_strips_are_the_whole_text_in_pieces() -> None:
    found = strips("one two three", [(0, 3), (8, 13)])
    assert [(one["text"], one["kept"]) for one in found] == [("one", True), (" two ", False), ("three", True)]
    assert strips("one", []) == [{"text": "one", "kept": False}]


def test_stages_follow_one_another_and_what_is_left_comes_last() -> None:
    found = waterfall({"verify": 1.0, "retrieve": 5.0, "total": 8.0, "fuse": 1.5})
    assert [tuple(one) for one in found] == [("retrieve", 0.0, 5.0), ("fuse", 5.0, 1.5), ("verify", 6.5, 1.0),
                                             ("other", 7.5, 0.5)]
    assert waterfall({}) == []
