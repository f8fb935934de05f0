"""Whose votes contradict all others has no part in a fit, and nobody else."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from learning_scene.labeled_scene import ANALYSER
from learning_scene.simulated_voters import (
    ENGINE_FEATURES,
    WEIGHS,
    Questions,
    Voter,
    voted,
    voted_whole,
)

from vouch.learning.statistics.splits import split_of
from vouch.learning.training.contradiction import WHY, Scores, Shown, contradicting, shown
from vouch.learning.training.training_split import split
from vouch.learning.training.weighing import Material, Shares, heard, learner

SHARES = Shares(0.05, 0.25, 2.0, 0.1)
WORLD = Questions(3, count=200)
LIMIT = 3.0


def people(honest: int, against: int, answers: int = 15) -> Material:
    return voted(WORLD, [
        *(Voter(f"p{n}", answers) for n in range(honest)),
        *(Voter(f"x{n}", 40, against=True, steep=0.0, noise=0.0) for n in range(against)),
    ])


def found(material: Material, limit: float = LIMIT) -> set[str]:
    return set(contradicting(material.labels, material.recorded, learner(material.labels, material, SHARES), limit))


@pytest.mark.parametrize(("honest", "against"), [(12, 0), (12, 1), (12, 3), (4, 1)])
def test_who_votes_against_the_truth_is_found_and_nobody_else(honest: int, against: int) -> None:
    assert found(people(honest, against)) == {f"x{n}" for n in range(against)}


def truth(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows[:, ENGINE_FEATURES] @ WEIGHS)


@pytest.mark.parametrize(("against", "left_out"), [(4, 4), (5, 0)])
def test_where_more_than_a_quarter_contradict_the_rest_nobody_is_left_out(against: int, left_out: int) -> None:
    """Nobody can tell who is right."""
    material = people(12, against)
    assert len(contradicting(material.labels, material.recorded, lambda _: truth, LIMIT)) == left_out


def test_nobody_is_held_against_what_they_said_themselves() -> None:
    material = people(12, 1)
    learned: list[frozenset[str]] = []

    def learn(without: frozenset[str]) -> Scores:
        learned.append(without)
        return truth

    assert contradicting(material.labels, material.recorded, learn, LIMIT) == {"x0"}
    first = learned[: len(learned) // 2]
    assert len(first) > 2 and sorted(name for some in first for name in some) == sorted(
        {str(label.person) for label in material.labels})
    assert all("x0" in some for some in learned[len(first):])


def test_of_fewer_than_five_voters_nobody_is_left_out() -> None:
    assert found(people(3, 1)) == set()


def test_a_few_votes_prove_nothing() -> None:
    """Of n questions the errors are sqrt(n) at most."""
    material = people(12, 0)
    few = voted(WORLD, [Voter("x0", 8, against=True, steep=0.0, noise=0.0)])
    both = Material([*material.labels, *few.labels], {**material.recorded, **few.recorded})
    assert found(both) == set() and found(both, 2.0) == {"x0"}


def test_the_order_of_labels_does_not_count() -> None:
    material = people(12, 2)
    turned = replace(material, labels=material.labels[::-1], recorded=dict(reversed(material.recorded.items())))
    assert found(turned) == found(material) == {"x0", "x1"}


def test_who_only_votes_down_what_is_bad_does_not_contradict() -> None:
    """A vote falls on what is cited, which stands above what is not."""
    crowd = [*((f"p{n}", "all", 15) for n in range(20)), *((f"c{n}", "critic", 15) for n in range(4))]
    assert found(voted_whole(WORLD, crowd)) == set()


def test_what_was_cited_for_who_is_left_out_goes_too() -> None:
    material = voted_whole(WORLD, [("p0", "all", 15), ("p1", "all", 15)])
    kept = heard([*material.labels, replace(material.labels[0], source="judged", person="p1")], frozenset({"p1"}),
                 material.askers)
    assert {label.source for label in kept if str(label.answer_id).startswith("p1")} == set()
    assert [label.person for label in kept if label.source == "judged"] == ["p1"]
    assert {label.source for label in kept if str(label.answer_id).startswith("p0")} == {"vote", "cited", "judged"}


def test_the_public_is_not_left_out_for_one_of_them() -> None:
    material = people(12, 1)
    public = [replace(label, person="public") if label.person == "x0" else label for label in material.labels]
    assert found(replace(material, labels=public)) == set()


def test_who_votes_on_held_out_questions_alone_is_left_out_there() -> None:
    material = people(12, 2)
    asked = {label.question for label in material.labels if label.person == "x0"}
    held = {question for question in asked if split_of(question) == "test"}
    labels = [label for label in material.labels if label.person != "x0" or label.question in held]
    more = [label for label in voted(WORLD, [Voter("x0", 200, against=True, steep=0.0, noise=0.0)]).labels
            if split_of(label.question) == "test"]
    rows = voted(WORLD, [Voter("x0", 200, against=True, steep=0.0, noise=0.0)]).recorded
    material = replace(material, labels=[*labels, *more], recorded={**material.recorded, **rows})
    sides = split(material, ANALYSER.terms, replace(SHARES, contradiction=LIMIT), public_only=False, weeks=0.0)
    assert len({label.question for label in more}) > 9
    assert not any(label.person == "x0" for label in sides.test.labels) and sides.test.left_out[WHY]


def test_answers_that_no_label_is_of_do_not_count() -> None:
    """With VOUCH_TRAINING__PUBLIC_ONLY they may be of hidden documents."""
    material = people(12, 1)
    others = {f"hidden {name}": [*rows[::-1]] for name, rows in people(4, 4).recorded.items()}
    seen: list[int] = []

    def learn(_: frozenset[str]) -> Scores:
        return lambda rows: (seen.append(len(rows)), truth(rows))[1]

    limits = np.linspace(-12, 12, 20)
    told = [contradicting(material.labels, both, learn, limit)
            for both in (material.recorded, material.recorded | others) for limit in limits]
    assert told[:20] == told[20:] and len(set(seen)) == 1 and len(set(told)) > 2


def test_a_split_leaves_out_their_votes_on_both_sides_and_counts_them() -> None:
    material = people(12, 2)
    judged = [replace(label, source="judged", answer_id=None, position=None) for label in material.labels
              if label.person == "x0"][:3]
    material = replace(material, labels=[*material.labels, *judged], searched={
        label.question_key: material.recorded[str(of.answer_id)] for label, of in zip(
            judged, (one for one in material.labels if one.person == "x0"), strict=False)})
    sides = split(material, ANALYSER.terms, replace(SHARES, contradiction=LIMIT), public_only=False, weeks=1.0)
    theirs = [label for label in material.labels if label.person in ("x0", "x1") and label.source == "vote"]
    kept = [label for side in (sides.train, sides.test) for label in side.labels]
    assert {label.source for label in kept if label.person == "x0"} <= {"judged"}
    assert not any(label.person == "x1" for label in kept)
    assert sides.test.left_out[WHY] and 0 < sides.left_out[WHY] <= len(theirs)
    without = split(material, ANALYSER.terms, SHARES, public_only=False, weeks=1.0)
    assert WHY not in without.left_out and any(label.person == "x1" for label in without.train.labels)


def by_hand(stood: Shown, scores: Sequence[float]) -> list[float]:
    ends = [*stood.starts.tolist(), len(scores)]
    share = [0.0] * len(scores)
    for first, last in pairwise(ends):
        for n in range(first, last):
            share[n] = sum((scores[n] > scores[m]) + (scores[n] == scores[m]) / 2
                           for m in range(first, last) if m != n) / (last - first - 1)
    return [share[n] - float(np.mean([one for one, place in zip(share, stood.places, strict=True) if place == at]))
            for n, at in enumerate(stood.places)]


def test_heights_are_shares_of_others_less_the_mean_at_the_place() -> None:
    stood = shown(voted(WORLD, [Voter("p0", 9)]).recorded)
    for scores in (np.random.default_rng(1).normal(size=len(stood.places)), np.ones(len(stood.places)),
                   np.random.default_rng(2).integers(3, size=len(stood.places)).astype(float)):
        assert stood.heights(lambda _, given=scores: given) == pytest.approx(by_hand(stood, scores.tolist()))
