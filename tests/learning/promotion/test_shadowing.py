"""What a shadow would change is told from recorded candidates alone, and is what it would have ranked live."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from homes.small_world import small_world
from model_fakes.fusion_models import everything

from vouch.adapters.analyser import SnowballAnalyser
from vouch.correction.components import QuestionKinds
from vouch.correction.loop import answer_question
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion
from vouch.learning.promotion.shadowing import Comparison, RankedAnswer, compared, shadow_order
from vouch.ports.index import Fusion
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA
from vouch.retrieval.ranking import Ranking


def row(chunk: str, rank: int, **features: float) -> dict[str, Any]:
    known = dict.fromkeys(FEATURE_NAMES, 0.0) | features
    return {"chunk_id": chunk, "fused_rank": rank, "rerank_rank": rank if rank <= 3 else None, "expansion": "none",
            "cited": False, "schema": FEATURE_SCHEMA, "features": known}


def answer(order: Sequence[str], wanted: Sequence[str], cited: Sequence[str] = (), **more: Any) -> RankedAnswer:
    """Recorded in one order; `by_share` wants it in the other."""
    worth = {chunk: float(len(wanted) - place) for place, chunk in enumerate(wanted)}
    rows = [{**row(chunk, rank, bm25_share=worth[chunk]), "cited": chunk in cited}
            for rank, chunk in enumerate(order, 1)]
    return RankedAnswer("why?", "reciprocal ranks", rows, **more)


BY_SHARE = FusionModel.model_validate({
    "feature_schema": FEATURE_SCHEMA, "terms": {"bm25_share": {"mean": 0.0, "scale": 100.0, "weight": 1.0}},
})
LETTERS = "abcdefghijklmnopqrst"


def test_the_same_order_changes_nothing() -> None:
    found = compared(BY_SHARE, [answer(LETTERS, LETTERS, cited="a")] * 3).figures()
    assert found == {"answers": 3, "other_schema": 0, "interleaved": 0, "overlap@10": 1.0, "first_changes": 0.0,
                     "first_three_change": 0.0, "cited_still_read": 1.0}


def test_another_order_is_told_by_what_it_moves() -> None:
    turned = answer(LETTERS, LETTERS[::-1], cited="a")          # the first ten are the other ten
    swapped = answer("abcd", "bacd", cited="ab")                # the same three, another first
    found = compared(BY_SHARE, [turned, swapped]).figures()
    assert found["overlap@10"] == 0.5 and found["first_changes"] == 1.0 and found["first_three_change"] == 0.5
    assert found["first_falls_to"] == (20 + 2) / 2
    assert found["cited_still_read"] == pytest.approx(2 / 3, abs=1e-3)


def test_features_of_another_schema_and_interleaved_answers_are_counted_and_not_compared() -> None:
    old = answer("ab", "ba")
    for one in old.rows:
        one["schema"] = 1                                       # type: ignore[index]
    mixed = RankedAnswer("why?", "reciprocal ranks interleaved with x", answer("ab", "ba").rows)
    nothing = RankedAnswer("thanks", "", [])
    assert compared(BY_SHARE, [old, mixed, nothing]).figures() == {"answers": 0, "other_schema": 1, "interleaved": 1}
    assert Comparison().answers == 0


def fused_order(fusion: Fusion) -> list[dict[str, Any]]:
    """What the loop records of those that a retriever found, in the order of that fusion."""
    world = small_world(kinds=QuestionKinds(FactQuestions(Ranking(top=20, fusion=fusion)), ListQuestions()))
    rows = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).candidates
    return sorted((one for one in rows if one["fused_rank"]), key=lambda one: one["fused_rank"])


def test_the_order_told_from_the_record_is_the_one_it_ranks_live() -> None:
    """For many drawn models: the shadow's order of what was recorded is the order with that model as fusion."""
    print("seed 7")
    draw, recorded, differ = random.Random(7), fused_order(ReciprocalRanks()), 0
    for _ in range(20):
        model = everything(draw.randrange(10**6))
        live = [one["chunk_id"] for one in fused_order(LearnedFusion(model, SnowballAnalyser()))]
        assert shadow_order(model, recorded) == live
        differ += live != [one["chunk_id"] for one in recorded]
    assert differ > 5, "orders have to differ, or this shows nothing"
