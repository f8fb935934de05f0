"""Nobody moves the thresholds alone: an outcome counts as the capped labels behind it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np

from vouch.learning.evaluator.calibration import Costs, ScoredList, calibrate
from vouch.learning.evaluator.calibration_figures import figures
from vouch.learning.evaluator.calibration_lists import Row, labeled_scores
from vouch.learning.labels.label import Label
from vouch.learning.labels.weights import cap_weights
from vouch.learning.models.evaluator_model import UNJUDGED, load_evaluator
from vouch.learning.statistics.logistic import sigmoid
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES

MODEL = load_evaluator(UNJUDGED)
MONDAY = datetime(2026, 9, 7, 9, tzinfo=UTC)
WEIGH = partial(cap_weights, person_share=0.05, day_share=0.25)


def row(random: np.random.Generator) -> Row:
    features = dict.fromkeys(EVIDENCE_FEATURES, float(np.clip(0.45 + 0.3 * random.normal(), 0, 1)))
    return {"chunk_id": "c", "text_hash": None, "evidence": features | {"cosine_missing": 0.0, "judge_missing": 0.0}}


def voted(people: Sequence[str], each: int, says: Callable[[float], bool], seed: int
          ) -> tuple[list[Label], dict[str, list[Row]]]:
    """Everybody votes on as many questions of their own, by the score of the one passage each has."""
    random, labels, rows = np.random.default_rng(seed), list[Label](), dict[str, list[Row]]()
    for person in people:
        for number in range(each):
            found = row(random)
            relevance = 2 if says(MODEL.score(found["evidence"])) else 0
            labels.append(Label(f"{person} asks {number}", ("public",), "c", None, 1, relevance, "vote", 0.5,
                                MONDAY + timedelta(days=number % 20), person, f"{person} {number}", 1))
            rows[labels[-1].question_key] = [found]
    return labels, rows


def lists_of(*some: tuple[list[Label], dict[str, list[Row]]]) -> list[ScoredList]:
    labels = WEIGH([label for one, _ in some for label in one])
    rows = {key: found for _, one in some for key, found in one.items()}
    return labeled_scores(MODEL, labels, rows, {label.question: label.question for label in labels}, WEIGH)[0]


def certain(lists: Sequence[ScoredList], judged: Sequence[ScoredList]) -> float:
    """The share of the questions of `judged` that is answered as certain."""
    made = calibrate(lists, Costs())
    return figures([(one, made) for one in judged], Costs())["certain"]


def test_one_voter_does_not_move_the_thresholds() -> None:
    """300 votes of one person beside 600 of sixty, all against."""
    random = np.random.default_rng(1)
    honest = voted([f"user:p{n}@acme.test" for n in range(60)], 10,
                   lambda score: bool(random.random() < sigmoid(np.array(score - 1))), 2)
    mine = voted(["user:loud@acme.test"], 300, lambda score: False, 3)
    before, after = lists_of(honest), lists_of(honest, mine)
    moved = certain(after, before) - certain(before, before)
    unbounded = certain([replace(one, counts=1.0) for one in after], before) - certain(before, before)
    print(f"seeds 1 to 3: certain {moved:+.3f}, unbounded {unbounded:+.3f}")
    assert abs(moved) < 0.06 < 0.12 < abs(unbounded)


def test_an_outcome_counts_as_the_labels_of_the_passage_that_tells_it() -> None:
    features = row(np.random.default_rng(4))["evidence"]
    worse = dict.fromkeys(features, 0.0)
    rows = [{"chunk_id": name, "text_hash": None, "evidence": given} for name, given in
            (("best", features), ("next", worse))]

    def counts(*labels: tuple[str, int, str, float]) -> tuple[float | None, float]:
        made = [Label("q", ("public",), chunk, None, 1, relevance, source, weight, MONDAY, f"user:{n}")
                for n, (chunk, relevance, source, weight) in enumerate(labels)]
        [one], _ = labeled_scores(MODEL, made, {made[0].question_key: rows}, {"q": "q"}, lambda some: some)
        return one.right, one.counts

    assert counts(("best", 0, "vote", 0.4)) == (0.0, 0.4)
    assert counts(("best", 0, "vote", 0.4), ("next", 2, "vote", 0.3)) == (1.0, 0.3)
    assert counts(("best", 2, "vote", 0.5), ("best", 2, "vote", 0.5), ("best", 2, "vote", 0.5)) == (1.0, 1.0)
    assert counts(("best", 0, "judged", 1.0), ("best", 2, "vote", 0.5)) == (0.0, 1.0)
    assert counts(("next", 0, "vote", 0.5)) == (None, 0.0)
