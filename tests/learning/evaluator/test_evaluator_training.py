"""Training finds what is there, keeps to its rules, and says what it lacks."""

import random
from datetime import date

import numpy as np
import pytest
from two_world.stand_ins import HashEncoder

from vouch.adapters.analyser import SnowballAnalyser
from vouch.errors import BadInput
from vouch.learning.collections.judged_lists import JudgedList, Kind, Scorers
from vouch.learning.evaluator.evaluator_figures import evaluate_evaluator, verdict_shares
from vouch.learning.evaluator.evaluator_training import best_of, figures, fit_evaluator
from vouch.learning.statistics.splits import Split
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES


class WordOverlap:
    """A reranker: share of the question's words in the passage."""

    fingerprint = "overlap:1"

    def scores(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [len(set(q.split()) & set(p.split())) / max(len(set(q.split())), 1) for q, p in pairs]


MACHINES = Scorers(HashEncoder(), WordOverlap(), SnowballAnalyser())
TODAY = date(2026, 11, 21)


def row(draw: random.Random, holds: bool) -> dict[str, float]:
    features = {name: draw.random() for name in EVIDENCE_FEATURES} | {"cosine_missing": float(draw.random() < 0.1)}
    return features | {
        "maxsim": draw.gauss(0.6 if holds else 0.4, 0.1), "coverage": draw.gauss(0.7 if holds else 0.5, 0.2),
        "phrases": draw.gauss(0.2 if holds else 0.5, 0.2),      # speaks against: must be dropped
        "largest_gap": draw.gauss(0.8 if holds else 0.5, 0.2),  # speaks for: must be dropped
    }


def lists(seed: int) -> list[JudgedList]:
    draw = random.Random(seed)
    found = []
    shares: list[tuple[Kind, float]] = [("given", 0.4), ("present", 0.1), ("near", 0), ("absent", 0), ("off_topic", 0)]
    splits: list[Split] = ["train", "calibration", "test"]
    for split in splits:
        for kind, share in shares:
            for _ in range(120):
                labels = [float(draw.random() < share) for _ in range(4)]
                found.append(JudgedList(kind, split, tuple(row(draw, y > 0) for y in labels), tuple(labels)))
    return found


@pytest.fixture(scope="module")
def given() -> list[JudgedList]:
    return lists(1)


def test_evidence_only_ever_speaks_for_an_answer(given: list[JudgedList]) -> None:
    model = fit_evaluator(given, MACHINES, seed=1, today=TODAY)
    assert {"maxsim", "coverage"} <= set(model.terms)
    assert not {"phrases", "largest_gap"} & set(model.terms)
    assert model.terms["maxsim"].weight > model.terms["coverage"].weight > 0


def test_it_is_calibrated_and_better_than_chance(given: list[JudgedList]) -> None:
    found = fit_evaluator(given, MACHINES, seed=1, today=TODAY).figures["openqa test"]
    assert float(found["auc"]) > 0.85 and float(found["ece"]) < 0.08            # type: ignore[arg-type]


def test_thresholds_keep_their_rule(given: list[JudgedList]) -> None:
    model = fit_evaluator(given, MACHINES, seed=1, today=TODAY)
    absent = [one for one in given if one.split == "calibration" and one.kind in ("absent", "off_topic")]
    near = [one for one in given if one.split == "calibration" and one.kind == "near"]
    assert np.mean(np.array(best_of(model, absent)) < model.lower) == pytest.approx(0.85, abs=0.01)
    assert model.upper == max(model.lower, model.upper)
    assert np.mean(np.array(best_of(model, near)) < model.upper) == pytest.approx(0.90, abs=0.01)


def test_the_upper_threshold_is_never_below_the_lower(given: list[JudgedList]) -> None:
    """Where what is nearly there looks worse than what is not there at all, nothing is left to doubt."""
    swapped: dict[Kind, Kind] = {"near": "absent", "absent": "near"}
    strange = [
        JudgedList(swapped.get(one.kind, one.kind), one.split,
                   tuple(row | {"maxsim": row["maxsim"] + 0.5} if one.kind == "near" else row for row in one.features),
                   one.labels)
        for one in given
    ]
    model = fit_evaluator(strange, MACHINES, seed=1, today=TODAY)
    assert model.upper == model.lower > 0


@pytest.mark.slow
def test_the_test_split_changes_nothing_but_figures(given: list[JudgedList]) -> None:
    model = fit_evaluator(given, MACHINES, seed=1, today=TODAY)
    other = [one for one in given if one.split != "test"] + [one for one in lists(2) if one.split == "test"]
    again = fit_evaluator(other, MACHINES, seed=1, today=TODAY)
    assert again.fingerprint == model.fingerprint and again.figures != model.figures
    assert figures(model, other) == again.figures


@pytest.mark.slow
def test_the_same_lists_give_the_same_model(given: list[JudgedList]) -> None:
    assert fit_evaluator(given, MACHINES, seed=1, today=TODAY) == fit_evaluator(given, MACHINES, seed=1, today=TODAY)


def test_a_split_that_lacks_lists_is_named(given: list[JudgedList]) -> None:
    with pytest.raises(BadInput, match="near lists to use for calibration"):
        fit_evaluator([one for one in given if one.kind != "near"], MACHINES, seed=1, today=TODAY)


def test_verdict_shares_add_up() -> None:
    assert verdict_shares([0.1, 0.2, 0.5, 0.9], 0.2, 0.5) == {
        "questions": 4, "correct": 0.5, "ambiguous": 0.25, "incorrect": 0.25,
    }


def test_pairs_of_one_question_are_judged_as_one_list(given: list[JudgedList]) -> None:
    model = fit_evaluator(given, MACHINES, seed=1, today=TODAY)
    pairs = [(f"who wrote book {n}", f"{name} {verb} book {n}", verb == "wrote")
             for n in range(6) for name, verb in (("Ana", "wrote"), ("Ben", "read"))]
    found = evaluate_evaluator(pairs, model, MACHINES)["figures"]
    assert (found["n"], found["questions"], found["majority"], found["auc"]) == (12, 6, 0.5, 1.0)
    shuffled = pairs[1::2] + pairs[::2]
    assert evaluate_evaluator(shuffled, model, MACHINES)["figures"]["auc"] == 1.0
    assert "auc" not in evaluate_evaluator(pairs[::2], model, MACHINES)["figures"]
    with pytest.raises(BadInput, match="no pairs"):
        evaluate_evaluator([], model, MACHINES)
