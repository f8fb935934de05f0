"""A training from labels keeps its promises, and each planted mistake breaks the one it is against."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import numpy as np
import pytest
from learning_scene.labeled_scene import ANALYSER, BEGAN, labels_of, rows_of, scene, words

from vouch.errors import NothingToLearn
from vouch.learning.labels.label import Label
from vouch.learning.models import fusion_model
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.promotion.gates import REQUIRED_GATES, Gate, golden_gate, refusal
from vouch.learning.training import label_places, retraining, training_split
from vouch.learning.training.retraining import GoldenLists, Judged, Least, answerable, fit_split, judge, not_worse
from vouch.learning.training.training_report import markdown, pictures
from vouch.learning.training.training_split import Split, split
from vouch.learning.training.weighing import Material, Shares, Weigh, weighed_lists, weigher

SHARES = Shares(0.2, 0.2, 10.0)
SAME = (0, 100)                         # two worlds: no difference in a hundred scores
FEW = Least(questions=20, held_out=5, askers=5, labels=60, loss=0.01)


def sides(material: Material, *, public_only: bool = False, weeks: float = 1.0) -> Split:
    return split(material, ANALYSER.terms, SHARES, public_only=public_only, weeks=weeks)


def trained(material: Material, *, public_only: bool = False, least: Least = FEW, seed: int = 3) -> Judged:
    both = sides(material, public_only=public_only)
    fitted = fit_split(both, None, seed=seed, fingerprints={"weights": "w"})
    return judge(both, fitted, None, least, GoldenLists(), SAME)


def as_bytes(judged: Judged) -> bytes:
    return json.dumps([judged.model.model_dump(mode="json"), judged.report]).encode()


def shuffled(material: Material, seed: int) -> Material:
    draw = random.Random(seed)

    def mixed(rows: Sequence[Any]) -> list[Any]:
        return draw.sample(list(rows), len(rows))

    recorded = {name: mixed(material.recorded[name]) for name in mixed(sorted(material.recorded))}
    return replace(material, labels=mixed(material.labels), recorded=recorded)


@pytest.mark.parametrize("right", ["lexical", "dense"])
def test_it_learns_which_engine_is_right(right: str) -> None:
    found = trained(scene(150, 1, right=right))
    figures = found.report["figures"]["reciprocal ranks"]
    assert figures["ndcg@10"] > 0.99 > figures["ndcg@10_rival"] and found.reason == "", found.report["gates"]
    assert {gate["name"] for gate in found.report["gates"]} == set(REQUIRED_GATES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_same_labels_and_seed_make_the_same_bytes_in_any_order(seed: int) -> None:
    print(f"seed {seed}")
    material = scene(90, seed)
    assert as_bytes(trained(material)) == as_bytes(trained(shuffled(material, seed)))
    assert as_bytes(trained(material)) != as_bytes(trained(material, seed=4))


def other_ids(material: Material) -> Material:
    """The same labels, of answers with other ids and an index with other versions."""
    labels = [replace(one, answer_id=f"x{one.answer_id}", version=one.version + 7) for one in material.labels]
    return Material(labels, {f"x{name}": rows for name, rows in material.recorded.items()})


def test_ids_of_answers_and_versions_change_nothing() -> None:
    material = scene(60, 5)
    assert as_bytes(trained(material)) == as_bytes(trained(other_ids(material)))


def test_the_model_is_the_same_whatever_serves_and_is_compared_with_it() -> None:
    both = sides(scene(90, 21))
    first = fit_split(both, None, seed=0, fingerprints={})
    second = fit_split(both, first.model.terms, seed=0, fingerprints={})
    assert first.model == second.model
    assert second.figures["current"]["gain_interval"] == [0.0, 0.0] != first.figures["current"]["gain_interval"]


# Unlabeled is unknown.

def with_other_unlabeled(material: Material, seed: int) -> Material:
    """What nobody labeled was found elsewhere."""
    draw = random.Random(seed)
    labeled = {(one.answer_id, one.chunk_id) for one in material.labels}
    return replace(material, recorded={
        name: [row if (name, row["chunk_id"]) in labeled
               else {**row, "features": {**row["features"], "bm25_share": draw.random(), "bm25_rrf": draw.random()}}
               for row in rows]
        for name, rows in material.recorded.items()
    })


def unlabeled_is_unknown() -> None:
    material = scene(60, 6)
    assert trained(material).model.terms == trained(with_other_unlabeled(material, 6)).model.terms


def test_what_nobody_labeled_has_no_part() -> None:
    unlabeled_is_unknown()


def test_planted_unlabeled_counted_as_negative(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = training_split.weighed_lists

    def with_unlabeled(labels: Sequence[Label], material: Material, weigh: Weigh) -> Any:
        one = {label.answer_id: label for label in labels}
        added = {replace(label, chunk_id=row["chunk_id"], relevance=0, person=None) for name, label in one.items()
                 for row in material.recorded[name or ""]}
        known = {(label.answer_id, label.chunk_id) for label in labels}
        negative = [label for label in added if (label.answer_id, label.chunk_id) not in known]
        return everything([*labels, *negative], material, weigh)

    monkeypatch.setattr(training_split, "weighed_lists", with_unlabeled)
    with pytest.raises(AssertionError):
        unlabeled_is_unknown()


# No test question, nor one like it, in training.

def alike(one: str, other: str) -> bool:
    mine, theirs = set(ANALYSER.terms(one)), set(ANALYSER.terms(other))
    return mine == theirs or len(mine & theirs) >= 0.7 * len(mine | theirs)


def with_near_duplicates(seed: int) -> Material:
    """Each question is asked twice: once with another word more, and much later."""
    draw, first = random.Random(seed), scene(50, seed)
    labels, recorded = list(first.labels), dict(first.recorded)
    for n, question in enumerate(sorted({one.question for one in first.labels})):
        again = f"{question[:-1]} {words(draw, 1)}?"
        recorded[f"b{n}"] = rows_of(again, draw, "lexical")
        labels += labels_of(again, f"b{n}", n + 50)
    return Material(labels, recorded)


def no_question_is_on_both_sides() -> None:
    found = sides(with_near_duplicates(7))
    train, test = ({one.question for one in side.labels} for side in (found.train, found.test))
    assert train and test
    assert not [pair for pair in product(train, test) if alike(*pair)]


def test_near_duplicates_stay_on_one_side() -> None:
    no_question_is_on_both_sides()


def test_planted_test_questions_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_split, "groups", lambda asked: {text: text for text, _ in asked})
    with pytest.raises(AssertionError):
        no_question_is_on_both_sides()


def test_weights_are_made_without_what_is_held_out() -> None:
    material = scene(100, 8)
    held_out = {one.key for one in sides(material).test.labels}
    lies = [replace(one, relevance=2 - one.relevance) if one.key in held_out else one for one in material.labels]
    liar = trained(replace(material, labels=lies))
    assert liar.model.terms == trained(material).model.terms
    assert "against reciprocal ranks" in liar.reason


@pytest.mark.slow
def test_the_newest_weeks_have_no_part_in_the_fit() -> None:
    material = scene(200, 9)            # 67 days
    found = sides(material, weeks=2)
    newest = max(one.at for one in material.labels)
    assert max(one.at for one in found.train.labels) <= newest - 14 * (newest - BEGAN) / ((newest - BEGAN).days + 1)
    late = {one.question for one in material.labels if (newest - one.at).days < 14}
    train, test = ({one.question for one in side.labels} for side in (found.train, found.test))
    assert not late & train and late <= test
    day = Material([replace(one, at=BEGAN) for one in material.labels], material.recorded)
    assert len(sides(day).train.lists) > 100        # of a single moment nothing is newer than the rest


def moved(material: Material, day_of: Callable[[int], float], tells: Callable[[int], bool]) -> Material:
    """Each question's labels lie on its day, and say something about an order or not."""
    number = {question: n for n, question in enumerate(sorted({one.question for one in material.labels}))}
    labels = [replace(one, at=BEGAN + timedelta(days=day_of(number[one.question])),
                      relevance=one.relevance if tells(number[one.question]) else 0) for one in material.labels]
    return Material(labels, material.recorded)


@pytest.mark.parametrize("old", [0, 1])
def test_one_label_of_long_ago_decides_nothing(old: int) -> None:
    """All is of one day, but for one question that was asked 300 days before."""
    found = sides(moved(scene(40, 9), lambda n: 300 + n / 40 if n >= old else 0, lambda n: True))
    assert found.newest <= 10 and len(found.train.lists) > 15
    assert found.dropped <= len(found.train.labels) / 2


def test_votes_that_come_after_the_last_new_question_count() -> None:
    """The questions were all first heard of within the hour, and are voted on in the week after it."""
    asked = moved(scene(40, 9), lambda n: n / 1000, lambda n: True)
    late = [replace(one, at=one.at + timedelta(days=n % 6), person=f"user:q{n}@acme.test")
            for n, one in enumerate(asked.labels)]
    found = sides(replace(asked, labels=[*asked.labels, *late]))
    assert found.dropped <= (found.dropped + len(found.train.labels)) / 4


def test_that_all_questions_are_held_out_is_told_with_the_way_out() -> None:
    """Only the newest ones say anything about an order."""
    found = sides(moved(scene(20, 9), lambda n: n, lambda n: n >= 15), weeks=9)
    assert not found.train.lists and found.test.questions == found.newest == 5
    border = f"{BEGAN + timedelta(days=14):%Y-%m-%d %H:%M} UTC"
    with pytest.raises(NothingToLearn, match=f"5 questions, are held out: .* first heard of after {border}") as told:
        fit_split(found, None, seed=0, fingerprints={})
    assert "VOUCH_TRAINING__WEEKS_HELD_OUT" in told.value.cure and "labels left out: " in told.value.cause
    assert "none is left to fit" in told.value.cause


# Another schema is neither fitted nor served.

def another_schema_is_left_out() -> None:
    material = scene(60, 10)
    old = {name: [{**row, "schema": 1} for row in rows] if n % 2 else rows
           for n, (name, rows) in enumerate(sorted(material.recorded.items()))}
    found = trained(replace(material, recorded=old))
    told = found.report["labels"]
    assert 30 * 6 - told["of_the_newest_weeks"] <= told["left_out"]["no features of this schema"] <= 30 * 6
    assert found.report["questions"]["fitted"] + found.report["questions"]["held_out"] <= 30


def test_features_of_another_schema_are_skipped_and_counted() -> None:
    another_schema_is_left_out()
    with pytest.raises(NothingToLearn):
        trained(Material(scene(20, 1).labels, {}))


def test_planted_another_schema_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_places, "has_features", lambda row: True)
    with pytest.raises((AssertionError, KeyError)):
        another_schema_is_left_out()


def a_body() -> dict[str, Any]:
    return trained(scene(60, 2)).model.model_dump(mode="json")


def another_schema_is_not_read(body: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="feature schema 1"):
        FusionModel.model_validate({**body, "feature_schema": 1})


def test_a_model_of_another_schema_is_never_read() -> None:
    body = a_body()
    assert FusionModel.model_validate(body)
    another_schema_is_not_read(body)


def test_planted_another_schema_served(monkeypatch: pytest.MonkeyPatch) -> None:
    body = a_body()
    monkeypatch.setattr(fusion_model, "FEATURE_SCHEMA", 1)      # as if what the file says were in force
    with pytest.raises(pytest.fail.Exception):
        another_schema_is_not_read(body)


# No gate is passed by not being looked at.

@pytest.mark.parametrize(("least", "name"), [
    (replace(FEW, questions=500), "questions"), (replace(FEW, held_out=500), "held out"),
    (replace(FEW, askers=13), "askers"), (replace(FEW, labels=5000), "labels"),
    (replace(FEW, loss=-0.5), "against the current model"),
])
def test_each_gate_refuses(least: Least, name: str) -> None:
    found = trained(scene(90, 11), least=least)
    assert found.reason.startswith(name) and found.model.refused == found.reason == found.report["refused"]
    assert next(gate["name"] for gate in found.report["gates"] if not gate["passed"]) == name


def test_people_and_labels_without_a_part_pass_no_gate() -> None:
    """Of passages that one person judged, and of another text than was recorded."""
    base = scene(120, 23)
    judged = [replace(one, source="judged", person="user:ann@acme.test", weight=1.0) for one in base.labels]
    silenced = [replace(one, person=f"user:p{n % 9}@acme.test", weight=0.1) for n, one in enumerate(base.labels)]
    changed = [replace(one, source="vote", person=f"user:q{n % 9}@acme.test", text_hash="then", answer_id=f"a{n // 6}")
               for n, one in enumerate(base.labels)]
    rows = {name: [{**row, "text_hash": "now"} for row in of] for name, of in base.recorded.items()}
    alone, crowd = (trained(Material(labels, rows)) for labels in (judged, [*judged, *silenced, *changed]))
    assert alone.reason == crowd.reason == "askers: 1, at least 5 needed"
    assert crowd.report["labels"]["fitted"] == alone.report["labels"]["fitted"]
    assert sides(Material([*judged, *silenced], rows)).left_out == {"of passages that somebody judged": len(silenced)}


def test_what_a_model_needs_is_said_by_the_settings_alone() -> None:
    with pytest.raises(TypeError):
        Least(questions=50)             # type: ignore[call-arg]


def asked_by(material: Material, readers: int) -> Material:
    """Every question by so many readers alone, each with an answer and votes of their own."""
    labels: list[Label] = []
    recorded: dict[str, Sequence[Any]] = {}
    for n in range(readers):
        labels += [replace(one, audience=(f"user:p{n}@acme.test",), answer_id=f"{one.answer_id}-{n}")
                   for one in material.labels]
        recorded |= {f"{name}-{n}": rows for name, rows in material.recorded.items()}
    return Material(labels, recorded)


def test_the_same_question_of_ten_readers_is_one_question() -> None:
    alone = trained(scene(30, 11), least=replace(FEW, questions=50, held_out=20))
    many = trained(asked_by(scene(30, 11), 10), least=replace(FEW, questions=50, held_out=20))
    for name in ("questions", "held out"):
        one, ten = (next(g for g in found.report["gates"] if g["name"] == name) for found in (alone, many))
        assert not ten["passed"] and ten["found"] == one["found"] < 30
    assert sum(many.report["questions"][side] for side in ("fitted", "held_out")) == 30
    few, same = (found.report["figures"]["reciprocal ranks"] for found in (alone, many))
    assert same["questions"] == few["questions"] == many.report["questions"]["held_out"]
    wide, narrow = (of["gain_interval"][1] - of["gain_interval"][0] for of in (few, same))
    assert narrow > 0.8 * wide > 0, "ten equal lists of a question tell no more than one"


@pytest.mark.parametrize(("worlds", "passes"), [((0, 10), True), ((1, 10), False), ((0, 0), False)])
def test_a_difference_between_two_worlds_refuses(worlds: tuple[int, int], passes: bool) -> None:
    both = sides(scene(90, 12))
    found = judge(both, fit_split(both, None, seed=0, fingerprints={}), None, FEW, GoldenLists(), worlds)
    assert (found.reason == "") == passes


def test_golden_questions_must_not_get_worse() -> None:
    both, other = sides(scene(90, 13, right="lexical")), sides(scene(40, 14, right="dense"))
    found = judge(both, fit_split(both, None, seed=0, fingerprints={}), None, FEW, GoldenLists(other.train.lists), SAME)
    assert found.reason.startswith("golden questions")


@pytest.mark.parametrize(("gain", "named", "passes"), [(None, 0, True), (None, 3, False), (0.0, 3, True)])
def test_golden_questions_that_nobody_measured_are_not_passed(gain: float | None, named: int, passes: bool) -> None:
    assert golden_gate(gain, named).passed is passes


def test_golden_questions_that_find_nothing_are_left_out_and_counted() -> None:
    one, other, *_ = sides(scene(90, 13)).train.lists
    model, lost = trained(scene(90, 13)).model, replace(other, relevance={})
    some = not_worse(model, None, answerable([("public", one), ("group:hr", lost)], public_only=False))
    assert some.told.endswith("1 question; 1 question left out, for which nothing that answers is found as group:hr")
    none = not_worse(model, None, answerable([("public", lost), ("user:ana@acme.test", lost)], public_only=False))
    assert (none.passed, none.found) == (False, None), "0 - 0 is no figure"
    assert "2" not in none.told and "as a person" in none.told and "as public" in none.told


@pytest.mark.parametrize(("public_only", "why"), [(False, "names none"), (True, "PUBLIC_ONLY leaves out others")])
def test_why_no_golden_question_is_measured_is_told(public_only: bool, why: str) -> None:
    gate = golden_gate(None, 0, public_only=public_only)
    assert gate.passed and gate.told.endswith(why)


@pytest.mark.parametrize("skipped", ["two_worlds_gate", "golden_gate", "weights_gate"])
def test_planted_gate_skipped(skipped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the line that asks for it were not there."""
    real: Callable[..., Gate] = getattr(retraining, skipped)
    monkeypatch.setattr(retraining, skipped, lambda *given, **how: replace(real(*given, **how), name="other"))
    assert "not looked at" in trained(scene(90, 15)).reason


def test_every_gate_is_needed() -> None:
    gates = [Gate(name, True) for name in REQUIRED_GATES]
    assert refusal(gates) == ""
    assert all(refusal([one for one in gates if one is not left]) for left in gates)


# With PUBLIC_ONLY, hidden interactions change no byte.

def hidden_change_nothing() -> None:
    public = scene(90, 16)
    hidden = scene(60, 17, right="dense", audience=("group:board",), name="h")
    mixed = [replace(one, audience=("group:board", "public")) for one in hidden.labels[:60]]
    hints = [replace(one, source="behaviour", weight=9.0) for one in public.labels[::2]]   # of the next of its thread
    both = Material([*public.labels, *hidden.labels, *mixed, *hints], {**public.recorded, **hidden.recorded})
    assert as_bytes(trained(public, public_only=True)) == as_bytes(trained(both, public_only=True))


def test_learning_from_the_public_alone_hidden_interactions_change_no_byte() -> None:
    hidden_change_nothing()


def test_planted_hidden_interactions_in_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = training_split.allowed

    def leaking(labels: Sequence[Label], *, public_only: bool) -> list[Label]:
        return everything(labels, public_only=False)

    monkeypatch.setattr(training_split, "allowed", leaking)
    with pytest.raises(AssertionError):
        hidden_change_nothing()


def test_planted_caps_before_the_filter() -> None:
    """Hidden votes of a public voter make the total larger that caps are shares of."""
    public, hidden = scene(90, 18), scene(60, 19, audience=("group:board",), name="h")
    one = "user:loud@acme.test"
    loud = [replace(label, person=one) if n % 3 else label for n, label in enumerate(public.labels)]
    both = [*loud, *hidden.labels]

    def weights(labels: Sequence[Label]) -> list[float]:
        weighed = weigher(Material([], {}), SHARES)(labels)
        return [label.weight for label in sorted(weighed, key=lambda label: label.key) if label.audience == ("public",)]

    assert weights(both) != weights(loud)


def test_citations_weigh_no_more_than_a_share_of_whoever_asked() -> None:
    """Of two thirds of all questions one person is the asker, or the public, which is one person as well."""
    material = scene(150, 22)
    cites = [replace(label, source="cited", person=None) for label in material.labels]
    for loud in ("user:loud@acme.test", "public"):
        askers = {name: loud if n % 3 else f"user:p{n % 36}@acme.test" for n, name in enumerate(material.recorded)}
        train = sides(replace(material, labels=cites, askers=askers)).train.labels
        mine = {None if loud == "public" else loud}
        weights = [(label.person in mine, label.weight) for label in train]
        held = sum(weight for loudest, weight in weights if loudest) / sum(weight for _, weight in weights)
        assert len([1 for loudest, _ in weights if loudest]) > len(weights) / 2 and held < 0.25, loud


# What is told.

def test_the_report_holds_numbers_and_no_words_of_anybody() -> None:
    material = scene(90, 20)
    found = trained(material)
    page = markdown("m", found.report, [("gains", "gains.svg")])
    told = json.dumps(found.report) + page + str(pictures(found.report))
    spoken = {word for one in material.labels for word in one.question.removeprefix("What is ").rstrip("?").split()}
    assert not [word for word in spoken if word in told] and "@acme" not in told and "c00" not in told
    assert found.report["askers"] == 12
    assert found.report["labels"]["fitted"] == {"vote": len(sides(material).train.labels)}
    assert all(value == round(value, 4) for of in found.report["weights"].values() for value in of.values())


def test_judgments_take_the_place_of_hints() -> None:
    [judged] = [one for one in labels_of("q", "a", 0, source="judged") if one.chunk_id == "c00"]
    material = Material([], {"a": rows_of("q", random.Random(1), "lexical")})
    weak = [replace(judged, relevance=0, source="vote", person=f"user:{n}") for n in range(9)]
    [found], left_out = weighed_lists([judged, *weak], material, list)
    assert (found.relevance, found.targets[0], found.weights[0]) == ({"c00": 2.0}, 1.0, judged.weight)
    assert found.labels == [judged] and left_out == {"of passages that somebody judged": 9}
    heavy = replace(weak[0], weight=5.0)
    for light in (replace(judged, source="vote", weight=1.0), replace(judged, weight=1.0)):     # or one that was cut
        [mean], _ = weighed_lists([light, heavy], material, list)
        assert mean.relevance["c00"] == pytest.approx(2 / 6) and mean.targets[0] == pytest.approx(1 / 6)


def test_a_passage_that_was_changed_since_or_was_not_found_is_counted() -> None:
    labels = labels_of("q", "a", 0)
    rows = [{**row, "text_hash": "new"} for row in rows_of("q", random.Random(1), "lexical")]
    labels = [replace(labels[0], text_hash="old"), replace(labels[1], chunk_id="gone"), *labels[2:]]
    [found], left_out = weighed_lists(labels, Material([], {"a": rows}), list)
    assert left_out == {"of another text": 1, "not among the candidates": 1}
    assert found.items == tuple(f"c{n:02} new" for n in range(2, 6)) and np.count_nonzero(found.weights) == 4
