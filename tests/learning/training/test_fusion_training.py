"""What is learned from drawn questions: whom to trust, what is held out, and what the gate refuses."""

import random
from collections.abc import Sequence
from datetime import date

import numpy as np
import pytest
from homes.small_world import EVERYBODY, passage, small_world
from ir_measures import nDCG

from vouch.adapters.analyser import SnowballAnalyser
from vouch.errors import BadInput
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.statistics.metrics import paired_interval
from vouch.learning.statistics.splits import split_of
from vouch.learning.training.fusion_training import (
    TERMS,
    JudgedCandidates,
    describe,
    fit_terms,
    gate,
    ndcg,
    scores_by,
    train_fusion,
)
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.fusion_features import FEATURE_SCHEMA, feature_matrix
from vouch.retrieval.question.query import form_query
from vouch.values.candidate import Candidate, Statistics
from vouch.values.question import Query

TODAY = date(2026, 11, 23)


def drawn(questions: int, seed: int, *, right: str = "lexical") -> list[JudgedCandidates]:
    """One engine is always right, the other draws lots."""
    draw, found = random.Random(seed), []
    for number in range(questions):
        places, chance = list(range(1, 13)), list(range(1, 13))
        draw.shuffle(chance)
        lexical, dense = (places, chance) if right == "lexical" else (chance, places)
        candidates = [
            Candidate(passage("words", chunk_id=f"c{n:02}"), 9.0 / a, a, 1.0 - b / 20, b)
            for n, (a, b) in enumerate(zip(lexical, dense, strict=True))
        ]
        query = Query(f"question {number} of {seed}", ("word",))
        matrix = feature_matrix(query, candidates, Statistics(40, {"word": 20}), SnowballAnalyser())
        found.append(JudgedCandidates(query.text, matrix, ReciprocalRanks().scores(query, candidates),
                                      [c.chunk_id for c in candidates], {"c00": 1}))
    return found


def trained(lists: Sequence[JudgedCandidates]) -> FusionModel:
    return train_fusion(lists, data=["drawn"], seed=1, today=TODAY, fingerprints={"weights": "test"})


@pytest.mark.parametrize("right", ["lexical", "dense"])
def test_it_learns_which_engine_is_right(right: str) -> None:
    model = trained(drawn(160, 5, right=right))
    held_out = model.figures["held out"]
    assert held_out["ndcg@10"] == 1.0 and float(held_out["ndcg@10_reciprocal_ranks"]) < 0.95    # type: ignore[arg-type]
    assert not model.refused and model.data == ("drawn",) and model.trained_on == "2026-11-23"


def test_weights_are_made_without_the_questions_that_are_held_out() -> None:
    lists = drawn(120, 6)
    liars = [one if split_of(one.group) != "test"
             else JudgedCandidates(one.group, one.matrix, one.reciprocal, one.items, {"c11": 1}) for one in lists]
    assert trained(liars).terms == trained(lists).terms
    assert trained(liars).refused and not trained(lists).refused


def test_every_number_of_a_fit_is_rounded() -> None:
    terms = trained(drawn(60, 3)).terms.values()
    for term in terms:
        assert term.weight == round(term.weight, 4)
        assert (term.mean, term.scale) == (float(f"{term.mean:.3g}"), float(f"{term.scale:.3g}"))
    assert len(terms) > 3


def test_questions_of_the_same_words_are_on_one_side() -> None:
    world = small_world()
    view, analyser = world.index.view(EVERYBODY), world.components.analyser
    groups = {describe(view, form_query(text, analyser), [], [], {}, analyser).group
              for text in ("How long is the parental leave?", "parental leave: how long?", "Parental LEAVE, long")}
    assert len(groups) == 1 and describe(view, form_query("Who?", analyser), [], [], {}, analyser).group == "Who?"


def test_a_model_is_refused_that_may_be_worse_or_is_judged_by_few() -> None:
    assert "19 questions" in gate({"held_out": 19, "gain_interval": [0.1, 0.2]})
    assert "worse" in gate({"held_out": 90, "gain_interval": [-0.011, 0.2]})
    assert gate({"held_out": 90, "gain_interval": [-0.009, 0.2]}) == ""
    assert "0 questions" in gate({"held_out": 0})
    assert "questions were held out" in trained(drawn(20, 7)).refused


def test_it_is_refused_if_it_may_be_worse_than_the_model_that_ranks_now() -> None:
    lists, right = drawn(160, 5), trained(drawn(160, 5)).terms
    given = {"data": ["drawn"], "seed": 1, "today": TODAY, "fingerprints": {"weights": "test"}}
    liars = [one if split_of(one.group) == "test"
             else JudgedCandidates(one.group, one.matrix, one.reciprocal, one.items,
                                   {one.items[int(np.argmax(one.reciprocal))]: 1}) for one in lists]
    worse = train_fusion(liars, **given, current=right)      # type: ignore[arg-type]
    assert "worse" in worse.refused and worse.figures["held out"]["gain_over_current"] < 0      # type: ignore[operator]
    same = train_fusion(lists, **given, current=right)       # type: ignore[arg-type]
    assert same.figures["held out"]["gain_over_current_interval"] == [0.0, 0.0] and not same.refused
    assert same.terms == right
    assert "model that ranks now" in gate({"held_out": 90, "gain_interval": [0.0, 0.2],
                                           "gain_over_current_interval": [-0.02, 0.1]})


def test_without_anything_relevant_there_is_nothing_to_learn() -> None:
    nothing = [JudgedCandidates(one.group, one.matrix, one.reciprocal, one.items, {}) for one in drawn(5, 8)]
    with pytest.raises(BadInput, match="no question finds"):
        trained(nothing)


def test_each_question_weighs_the_same() -> None:
    once = drawn(60, 9)
    twice = [JudgedCandidates(one.group, np.vstack([one.matrix, one.matrix]), [*one.reciprocal, *one.reciprocal],
                              [*one.items, *one.items], one.relevance) for one in once]
    first, second = fit_terms(once, TERMS["all"]), fit_terms(twice, TERMS["all"])
    assert first.keys() == second.keys()
    assert all(abs(first[name].weight - second[name].weight) < 1e-3 for name in first)


def test_ndcg_is_that_of_the_library() -> None:
    import ir_measures

    draw = random.Random(2)
    for _ in range(50):
        items = [f"d{draw.randrange(9)}" for _ in range(draw.randrange(1, 20))]
        relevance = {f"d{n}": draw.randrange(3) for n in range(11)}
        scores = np.array([draw.random() for _ in items])
        one = JudgedCandidates("q", np.zeros((len(items), 25)), scores.tolist(), items, relevance)
        best = {item: max(s for i, s in zip(items, scores.tolist(), strict=True) if i == item) for item in items}
        [wanted] = [m.value for m in ir_measures.iter_calc([nDCG @ 10], {"q": relevance}, {"q": best})]
        assert ndcg(one, scores) == pytest.approx(wanted, abs=1e-9)


def test_what_is_fitted_is_what_is_served() -> None:
    from vouch.learning.models.fusion_model import LearnedFusion

    lists = drawn(30, 10)
    model = FusionModel(feature_schema=FEATURE_SCHEMA, terms=fit_terms(lists, TERMS["all"]))
    candidates = [Candidate(passage("words", chunk_id=f"c{n}"), 9.0 / n, n, 1 - n / 20, 13 - n) for n in range(1, 13)]
    query, statistics = Query("question", ("word",)), Statistics(40, {"word": 20})
    served = LearnedFusion(model, SnowballAnalyser()).scores(query, candidates, lambda: statistics)
    matrix = feature_matrix(query, candidates, statistics, SnowballAnalyser())
    fitted = scores_by(model.terms, JudgedCandidates("q", matrix, [], [], {}))
    assert served == pytest.approx(fitted.tolist(), abs=1e-12)


def test_the_paired_interval_holds_the_mean_of_as_many_draws_as_it_says() -> None:
    random_ = np.random.default_rng(4)
    held = 0
    for number in range(100):
        low, high = paired_interval(random_.normal(0.05, 0.2, 60), seed=number, draws=400)
        held += low <= 0.05 <= high
    assert 88 <= held <= 100
