"""Nobody moves the thresholds alone: an outcome counts as the capped labels behind it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np

from vouch.learning.evaluator.calibration import Costs, ScoredList, calibrate
from vouch.learning.evaluator.calibration_figures import figures
from vouch.learning.evaluator.calibration_lists import labeled_scores
from vouch.learning.evaluator.scored_passages import Row, places_of, scored_passages
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
    """Everybody votes on as many questions of their own, by the score of the one passage each has; rows by answer."""
    random, labels, rows = np.random.default_rng(seed), list[Label](), dict[str, list[Row]]()
    for person in people:
        for number in range(each):
            found = row(random)
            relevance = 2 if says(MODEL.score(found["evidence"])) else 0
            labels.append(Label(f"{person} asks {number}", ("public",), "c", None, 1, relevance, "vote", 0.5,
                                MONDAY + timedelta(days=number % 20), person, f"{person} {number}", 1))
            rows[f"{person} {number}"] = [found]
    return labels, rows


def lists_of(*some: tuple[list[Label], dict[str, list[Row]]]) -> list[ScoredList]:
    labels = [label for one, _ in some for label in one]
    recorded = {name: scored_passages(MODEL, found) for _, one in some for name, found in one.items()}
    places, _ = places_of(labels, recorded, {})
    return labeled_scores(WEIGH(labels), places, {label.question: label.question for label in labels}, WEIGH)[0]


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


def late(person: str, honest: Sequence[Label], seed: int) -> tuple[list[Label], dict[str, list[Row]]]:
    """This person's votes against old answers to the questions of these labels, whose passages were edited since."""
    random = np.random.default_rng(seed)
    labels = [replace(one, person=person, relevance=0, text_hash="old", at=MONDAY + timedelta(days=40),
                      answer_id=f"{person} {n}") for n, one in enumerate(honest)]
    return labels, {f"{person} {n}": [{**row(random), "text_hash": "old"}] for n in range(len(labels))}


def test_votes_on_old_answers_hide_nobody_and_move_little() -> None:
    """500 of one person, and those of a fifth of all voters, each question being voted on by somebody else."""
    random = np.random.default_rng(1)
    people = [f"user:p{n}@acme.test" for n in range(60)]
    given = voted(people, 10, lambda score: bool(random.random() < sigmoid(np.array(score - 1))), 2)
    honest = [replace(label, text_hash="new") for label in given[0]], {
        name: [{**one, "text_hash": "new"} for one in rows] for name, rows in given[1].items()}
    before = lists_of(honest)
    fifth = [late(f"user:q{n}@acme.test", honest[0][10 * n:10 * n + 10], n) for n in range(12)]
    for most, others in ((0.06, [late("user:loud@acme.test", honest[0][:500], 3)]), (0.08, fifth)):
        after = lists_of(honest, *others)
        assert {one.scores.tobytes() for one in before} <= {one.scores.tobytes() for one in after}
        moved = certain(after, before) - certain(before, before)
        print(f"seeds 1 to 3: certain {moved:+.3f}")
        assert abs(moved) < most


def test_an_outcome_counts_as_the_labels_of_the_passage_that_tells_it() -> None:
    features = row(np.random.default_rng(4))["evidence"]
    worse = dict.fromkeys(features, 0.0)
    rows = [{"chunk_id": name, "text_hash": None, "evidence": given} for name, given in
            (("best", features), ("next", worse))]

    def counts(*labels: tuple[str, int, str, float]) -> tuple[float | None, float]:
        made = [Label("q", ("public",), chunk, None, 1, relevance, source, weight, MONDAY, f"user:{n}")
                for n, (chunk, relevance, source, weight) in enumerate(labels)]
        places, _ = places_of(made, {}, {made[0].question_key: scored_passages(MODEL, rows)})
        [one], _ = labeled_scores(made, places, {"q": "q"}, lambda some: some)
        return one.right, one.counts

    assert counts(("best", 0, "vote", 0.4)) == (0.0, 0.4)
    assert counts(("best", 0, "vote", 0.4), ("next", 2, "vote", 0.3)) == (1.0, 0.3)
    assert counts(("best", 2, "vote", 0.5), ("best", 2, "vote", 0.5), ("best", 2, "vote", 0.5)) == (1.0, 1.0)
    assert counts(("best", 0, "judged", 1.0), ("best", 2, "vote", 0.5)) == (0.0, 1.0)
    assert counts(("next", 0, "vote", 0.5)) == (None, 0.0)
