"""A planted miscalibration is mended, thresholds cost as little as any, and nothing is tuned on what it is judged by.

The simulated evaluator's scores are the true log-odds that a passage holds the answer.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from vouch.correction.evaluation import NEAREST
from vouch.errors import BadInput
from vouch.learning.evaluator.calibration import (
    HOLDS,
    Calibration,
    Costs,
    Floats,
    ScoredList,
    calibrate,
    calibration_of,
    scored_list,
)
from vouch.learning.evaluator.calibration_figures import FOLDS, Needed, figures, fold_of, gain_of, held_out, report
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.learning.statistics.logistic import sigmoid
from vouch.learning.statistics.metrics import expected_calibration_error
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES

COSTS = Costs()
OVERSURE = Calibration(slope=1.5, offset=3.0, lower=0.1678, upper=0.397)
TRUE = Calibration(slope=1.0, offset=0.0, lower=0.2, upper=0.5)


def drawn(seed: int, questions: int, labeled: float = 0.7) -> list[ScoredList]:
    """Ten passages each; of a part of them somebody said whether they hold the answer."""
    random = np.random.default_rng(seed)
    lists = []
    for number in range(questions):
        scores = random.normal(-2.5 + random.normal(0, 1), 1.5, 10)
        holds = (random.random(10) < sigmoid(scores)).astype(float)
        weights = np.where(random.random(10) < labeled, random.choice([0.5, 1.0], 10), 0.0)
        lists.append(ScoredList(f"question {number}", scores, holds, weights))
    return lists


def mean_cost(best: Floats, right: Floats, lower: float, upper: float) -> float:
    """Of the deeds that two thresholds lead to, reckoned apart from the code that is tested."""
    sure, shown = best >= upper, best >= NEAREST * lower
    prices = np.where(sure, np.where(right, 0.0, COSTS.wrong), np.where(right, COSTS.doubted, COSTS.unsure))
    return float(np.where(shown, prices, np.where(right, COSTS.declined, 0.0)).mean())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_planted_miscalibration_is_mended(seed: int) -> None:
    found = report(drawn(seed, 300), OVERSURE, COSTS, Needed())
    before, after = found["before"], found["after"]
    print(f"seed {seed}: {found}")
    assert found["refused"] == ""
    assert before["ece"] > 0.1 and after["ece"] < 0.03
    assert found["gains"]["log_loss"][1] > 0 and found["gains"]["cost"][1] > 0
    assert after["precision"] > before["precision"] + 0.05
    assert abs(after["auc"] - before["auc"]) < 0.01         # the order of passages stays as it is


@pytest.mark.parametrize(("former", "made", "gain"), [
    ((5.0, 1.0), (5.0, 1.0), 0.0),                          # both are sure, and right
    ((5.0, 1.0), (-9.0, 1.0), -COSTS.declined),             # the new one declines what there is
    ((5.0, 1.0), (-9.0, 0.0), -COSTS.declined),             # nor does it come free that it put something else first
    ((5.0, 1.0), (5.0, 0.0), -COSTS.wrong),
    ((-9.0, 0.0), (5.0, 1.0), COSTS.declined),              # it found what the former one did not
    ((-9.0, 0.0), (-9.0, 0.0), 0.0),                        # nothing answers
])  # fmt: skip
def test_two_evaluators_are_compared_by_what_either_found(
    former: tuple[float, float], made: tuple[float, float], gain: float
) -> None:
    def lists(score: float, holds: float) -> dict[str, ScoredList]:
        return {"q": ScoredList("q", np.array([score]), np.array([holds]), np.array([1.0]))}

    assert gain_of((TRUE, lists(*former)), (TRUE, lists(*made)), COSTS) == gain
    assert gain_of((TRUE, {}), (TRUE, lists(*made)), COSTS) is None


def test_thresholds_cost_no_more_than_the_best_of_a_grid() -> None:
    """Found on 500 questions; judged, like every pair of a grid, on 4,000 others."""
    made, fresh = calibrate(drawn(4, 500, 1.0), COSTS), drawn(5, 4000, 1.0)
    best = made.probabilities(np.array([one.best for one in fresh]))
    right = np.array([bool(one.right) for one in fresh])
    pairs = itertools.combinations_with_replacement(np.linspace(0, 1, 41).tolist(), 2)
    least = min((mean_cost(best, right, *pair), pair) for pair in pairs)
    mine = mean_cost(best, right, made.lower, made.upper)
    print(f"seeds 4, 5: ({made.lower}, {made.upper}) costs {mine:.4f}; the best pair {least}")
    assert figures([(one, made) for one in fresh], COSTS)["cost"] == round(mine, 4)
    assert mine <= least[0] + 0.01


def test_the_calibration_error_is_that_of_the_metrics() -> None:
    lists = drawn(12, 50)
    holds, given = (np.concatenate(column) for column in zip(
        *((one.holds[one.weights > 0], OVERSURE.probabilities(one.scores)[one.weights > 0]) for one in lists),
        strict=True))
    expected = expected_calibration_error(holds, given)
    assert figures([(one, OVERSURE) for one in lists], COSTS)["ece"] == round(expected, 4)


def test_shares_of_costs_are_where_the_cheapest_deed_changes() -> None:
    random = np.random.default_rng(6)
    for _ in range(50):
        wrong, unsure, doubted, declined = np.sort(random.random(4))[[3, 0, 1, 2]].tolist()
        lower, upper = Costs(wrong, unsure, doubted, declined).shares()
        for p in np.linspace(0.001, 0.999, 400):
            prices = {"sure": (1 - p) * wrong, "unsure": p * doubted + (1 - p) * unsure, "decline": p * declined}
            mine = "sure" if p >= upper else "unsure" if p >= lower else "decline"
            near = min(abs(p - lower), abs(p - upper)) < 0.005
            assert near or prices[mine] <= min(prices.values()) + 1e-9, (wrong, unsure, doubted, declined, p)


def test_too_few_questions_are_refused_with_the_reason() -> None:
    found = report(drawn(7, 40), OVERSURE, COSTS, Needed())
    assert "at least 50 are needed" in found["refused"] and "after" not in found
    none = [replace(one, holds=np.zeros(10)) for one in drawn(7, 200)]
    assert report(none, OVERSURE, COSTS, Needed())["refused"] == "0 can be answered, at least 10 are needed"


def test_the_same_question_of_ten_readers_is_one_question() -> None:
    found = report(drawn(7, 40) * 10, OVERSURE, COSTS, Needed())
    alone = report(drawn(7, 40), OVERSURE, COSTS, Needed())
    assert [found[name] for name in ("questions", "known", "answerable", "refused")] == [
        alone[name] for name in ("questions", "known", "answerable", "refused")]
    assert "known outcome, at least 50" in found["refused"]
    gains = [report(drawn(7, 40) * times, OVERSURE, COSTS, Needed(questions=1, each=1))["gains"] for times in (1, 10)]
    wide, narrow = (high - low for _, low, high in (gain["cost"] for gain in gains))
    assert narrow > 0.8 * wide, "whole questions are drawn"


def test_a_calibration_that_may_be_worse_is_refused() -> None:
    """The one that serves is the true one: what 60 questions give cannot be shown to be as good."""
    found = report(drawn(8, 70), TRUE, COSTS, Needed(loss=0.0))
    assert "the 95 % interval of its gain begins at" in found["refused"]


def test_one_that_is_never_certain_is_refused() -> None:
    """Where mistakes cost thousands of times what doubt does, to doubt always may well be the cheapest."""
    found = report(drawn(13, 200), OVERSURE, Costs(wrong=20_000.0, doubted=0.3), Needed())
    assert found["gains"]["cost"][1] > 0
    assert found["refused"] == "no question at all would be answered as certain"


def test_labels_that_contradict_the_scores_are_refused() -> None:
    against = [replace(one, scores=-one.scores) for one in drawn(9, 200)]
    assert "do not agree" in report(against, OVERSURE, COSTS, Needed())["refused"]
    with pytest.raises(BadInput, match="too few"):
        calibrate([], COSTS)


def leaking(lists: Sequence[ScoredList], costs: Costs) -> list[tuple[ScoredList, Calibration]]:
    """The planted bug: fitted on what it is judged by."""
    made = calibrate(lists, costs)
    return [(one, made) for one in lists]


def changes_with_its_own_labels(held: Callable[[Sequence[ScoredList], Costs], list[tuple[ScoredList, Calibration]]],
                                fold: int) -> bool:
    lists = drawn(10, 120)
    other = [replace(one, holds=1 - one.holds) if fold_of(one.group) == fold and number % 3 else one
             for number, one in enumerate(lists)]

    def of_fold(some: Sequence[ScoredList]) -> set[Calibration]:
        return {made for one, made in held(some, COSTS) if fold_of(one.group) == fold}

    return of_fold(lists) != of_fold(other)


def test_no_question_is_judged_by_what_its_own_labels_made() -> None:
    for fold in range(FOLDS):
        assert not changes_with_its_own_labels(held_out, fold)
        assert changes_with_its_own_labels(leaking, fold)


def test_nearly_the_same_questions_are_on_one_side() -> None:
    lists = [replace(one, group=f"group {number // 4}") for number, one in enumerate(drawn(11, 200))]
    made: dict[str, set[Calibration]] = {}
    for one, calibration in held_out(lists, COSTS):
        made.setdefault(one.group, set()).add(calibration)
    assert all(len(found) == 1 for found in made.values())


def test_an_outcome_is_known_from_what_an_answer_would_be_made_from() -> None:
    def right(holds: Sequence[float], weights: Sequence[float]) -> float | None:
        scores = np.arange(10.0, 10.0 - len(holds), -1)
        return ScoredList("g", scores, np.array(holds), np.array(weights)).right

    assert right([0, 0, 1], [0, 0, 1]) == 1.0
    assert right([0, 0, 0], [1, 0, 0]) == 0.0
    assert right([0, 0, 0], [0, 1, 1]) is None              # nobody knows about the best one
    assert right([0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 1]) == 0.0
    assert HOLDS == 2


def test_it_is_put_on_a_model_that_keeps_its_weights() -> None:
    shipped = load_evaluator()
    row = dict.fromkeys(EVIDENCE_FEATURES, 0.5)
    one = scored_list(shipped, "g", [row, row], [(1.0, 0.5), (0.0, 0.0)])
    assert one.scores.tolist() == [shipped.score(row)] * 2
    assert (one.holds.tolist(), one.weights.tolist()) == ([1.0, 0.0], [0.5, 0.0])
    model = TRUE.on(shipped)
    assert calibration_of(model) == TRUE
    assert (model.terms, model.fingerprints) == (shipped.terms, shipped.fingerprints)
    assert np.isclose(model.probabilities_of([row])[0], TRUE.probabilities(one.scores)[0])
    with pytest.raises(BadInput):
        scored_list(shipped, "g", [{}], [(1.0, 1.0)])
