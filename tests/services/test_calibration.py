"""Calibrating through a real ledger: simulated people judge and vote on what a surer evaluator than it should be found.

The truth: a passage holds the answer with sigmoid(score - 2), the score being the shipped evaluator's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning_scene.answered import ANA, leave_answer
from machines.ledger_place import new_ledger

from services.models.calibration import CalibrationRules, CalibrationService
from vouch.access import Directory
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.registration import Made, register
from vouch.errors import NotFound, Usage
from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.learning.evaluator.calibration import Costs, calibration_of
from vouch.learning.evaluator.calibration_figures import Needed
from vouch.learning.labels.label import Label, Source
from vouch.learning.models.evaluator_model import UNJUDGED, EvaluatorModel, load_evaluator
from vouch.learning.models.model_file import check_name
from vouch.learning.statistics.logistic import sigmoid
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES
from vouch.values.candidate import Candidate, Passage

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
MODEL = load_evaluator(UNJUDGED)         # the truth below is about it
COSTS = Costs()


@pytest.fixture
def ledger(memory_folder: Path) -> Iterator[Ledger]:
    found = new_ledger(memory_folder / "ledger.sqlite")
    yield found
    found.close()


def evidence(random: np.random.Generator) -> dict[str, float]:
    """Of a passage that fits more or less well, in all features alike."""
    fits = random.normal()
    drawn = {name: float(np.clip(0.45 + 0.3 * fits + random.normal(0, 0.1), 0, 1)) for name in EVIDENCE_FEATURES}
    return drawn | {"cosine_missing": 0.0, "judge_missing": 0.0, "largest_gap": 1 - drawn["largest_gap"]}


def holds(random: np.random.Generator, row: dict[str, float]) -> bool:
    return bool(random.random() < sigmoid(np.array(MODEL.score(row) - 2)))


def use(ledger: Ledger, questions: int, seed: int, source: Source = "judged", extra: Sequence[Label] = ()) -> None:
    """Each question is answered from eight passages; half of them get a label by one of twenty people."""
    random, labels = np.random.default_rng(seed), list(extra)
    for number in range(questions):
        rows = [{"chunk_id": f"{number:04x}{n:028x}", "text_hash": None, "cited": False, "schema": 2, "features": {},
                 "evidence": evidence(random)} for n in range(8)]
        text = f"What of the matter {number:x} and {number * 7919:x}?"
        name = leave_answer(ledger, number, NOW, candidates=rows, text=text)
        for row in rows:
            if random.random() < 0.7:
                labels.append(Label(
                    text, (ANA,), row["chunk_id"], None, 1, 2 if holds(random, row["evidence"]) else 1, source, 1.0,
                    NOW - timedelta(days=number % 20), f"user:p{number % 20}@acme.test", name,
                ))  # fmt: skip
    ledger.labels.put(labels)


def service(
    ledger: Ledger, judged: Any = lambda question, tags: (), differences: tuple[int, int] = (0, 10),
    model: EvaluatorModel = MODEL, **rules: Any,
) -> CalibrationService:  # fmt: skip
    given = {"costs": COSTS, "needed": Needed(), "public_only": False, "askers": 1,
             "weigh": lambda labels: labels} | rules
    return CalibrationService(ledger, lambda: model, judged, Directory, SnowballAnalyser(), CalibrationRules(**given),
                              lambda model: differences, lambda: NOW)


def run(ledger: Ledger, *args: Any, **rules: Any) -> dict[str, Any]:
    return service(ledger, *args, **rules).run([], {}, lambda *told: None)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["judged", "vote"])
def test_it_is_fitted_registered_and_kept_with_its_figures(ledger: Ledger, source: Source) -> None:
    use(ledger, 200, 1, source)
    found = run(ledger)
    print(f"seed 1, {source}: {found}")
    assert (found["state"], found["reason"]) == ("candidate", "")
    assert found["after"]["ece"] < 0.04 < found["before"]["ece"]
    kept = ledger.models.get(found["name"])
    model = EvaluatorModel.model_validate(kept.body)
    check_name(kept.name, model.fingerprint)
    assert (model.terms, model.lower, model.upper) == (MODEL.terms, found["lower"], found["upper"])
    assert kept.report["after"] == found["after"] and kept.report["planned_drop"] >= 0
    assert "matter" not in str(kept.body) + str(kept.report)                # numbers, and no word of a question
    assert run(ledger)["name"] == found["name"]                             # the same labels make the same model
    assert len(ledger.models.list("evaluator")) == 1
    ledger.models.move("evaluator", kept.name, expected=0, reason="promoted", by="ana", at=NOW)


def test_too_few_questions_make_a_refused_one(ledger: Ledger) -> None:
    use(ledger, 30, 2)
    found = run(ledger)
    assert found["state"] == "refused" and "at least 50 are needed" in found["reason"]
    assert found["name"] is None or ledger.models.get(found["name"]).reason == found["reason"]


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "told"), [
    ({"differences": (1, 10)}, "two worlds: 1 "), ({"differences": (0, 0)}, "two worlds: 0 "),
])
def test_each_of_the_common_gates_refuses(ledger: Ledger, rules: dict[str, Any], told: str) -> None:
    use(ledger, 200, 1)
    found = run(ledger, **rules)
    assert found["state"] == "refused" and told in found["reason"]
    assert ledger.models.get(found["name"]).state == "refused"


@pytest.mark.slow
def test_golden_questions_must_not_cost_more(ledger: Ledger) -> None:
    use(ledger, 200, 1)
    asked = [GoldenQuestion(f"q{n}", f"Which {n:x}?", True, gold=((GoldQuote("p.md", "words 0"),),)) for n in range(9)]
    sure = next(row for n in range(1000) if 0.7 < MODEL.probabilities_of([row := evidence(np.random.default_rng(n))])[0]
                < 0.75)

    def judged(question: str, tags: Sequence[str]) -> list[Candidate]:
        return candidates([sure], "words")

    found = run(ledger, judged, golden=lambda: asked)
    gate = next(gate for gate in found["gates"] if gate["name"] == "golden questions")
    assert gate["found"] < 0 and gate["told"].endswith("9 questions"), gate     # right, and not certain any more
    assert found["state"] == "refused" and "golden questions" in found["reason"]


def test_golden_questions_of_others_have_no_part_in_what_is_learned_from_the_public(ledger: Ledger) -> None:
    """What refuses an evaluator stands in the registry."""
    rules = {"golden": lambda: [GoldenQuestion("g", "Who?", False, reader=ANA)]}
    given = (MODEL, calibration_of(MODEL), MODEL, lambda *told: None)
    golden, _ = service(ledger, public_only=True, **rules)._gates(*given)
    assert golden.passed and golden.found is None
    with pytest.raises(NotFound, match="ana"):      # without the setting she is asked for
        service(ledger, **rules)._gates(*given)


@pytest.mark.parametrize("state", ["refused", "retired"])
def test_one_that_must_not_serve_does_not_come_back_calibrated(ledger: Ledger, state: str) -> None:
    """A file of the settings may be one; with another slope its weights would have another name."""
    use(ledger, 60, 1)
    refused = "its gates said no" if state == "refused" else ""
    made = Made("evaluator", MODEL.fingerprint, MODEL.model_dump(mode="json"), {}, refused)
    name = register(ledger.models, made, NOW)[0].name
    if state == "retired":
        ledger.models.set_state(name, "retired", "by ana")
    with pytest.raises(Usage, match=f"these are the weights of {name}, which is {state}") as told:
        run(ledger)
    assert "VOUCH_EVALUATOR__MODEL" in told.value.cure
    assert [one.name for one in ledger.models.list("evaluator")] == [name]


def test_without_any_label_nothing_is_registered(ledger: Ledger) -> None:
    found = run(ledger)
    assert (found["name"], found["state"]) == (None, "refused") and "at least 50" in found["reason"]
    assert not ledger.models.list("evaluator")


def test_labels_of_too_few_people_have_no_part(ledger: Ledger) -> None:
    use(ledger, 70, 5)
    nobody = [replace(label, person=None) for label in ledger.labels.list()[:9]]
    public = [replace(label, person="public") for label in ledger.labels.list()[:9]]
    ledger.labels.put([*nobody, *public])
    assert run(ledger, askers=20)["from_labels"] == 70
    found = run(ledger, askers=21)
    assert found["questions"] == found["from_labels"] == 0 and found["reason"].startswith(
        "labels of fewer than 21 people have no part; ")
    assert found["left_out"] == {"of too few people": len(ledger.labels.list())}
    assert not ledger.models.list("evaluator") or found["name"] is None


def test_whoever_votes_last_on_old_answers_hides_nobody_and_adds_no_question(ledger: Ledger) -> None:
    use(ledger, 60, 9, "vote")
    before, random = run(ledger), np.random.default_rng(10)
    for number in range(60):
        text = f"What of the matter {number:x} and {number * 7919:x}?"
        row = {"chunk_id": f"old {number}", "cited": True, "schema": 2, "features": {}, "evidence": evidence(random)}
        name = leave_answer(ledger, 1000 + number, NOW - timedelta(days=99), candidates=[row], text=text)
        ledger.labels.put([Label(text, (ANA,), f"old {number}", None, 1, 2, "vote", 1.0, NOW, ANA, name)])
    after = run(ledger)
    assert after["passages"] == before["passages"] + 60 and after["left_out"] == {}
    assert (after["from_labels"], after["questions"]) == (before["from_labels"], before["questions"]) == (60, 60)


def test_people_whose_labels_have_no_part_do_not_count(ledger: Ledger) -> None:
    use(ledger, 70, 5)
    others = [replace(label, person=f"user:q{n}@acme.test", chunk_id="nowhere", answer_id=None)
              for n, label in enumerate(ledger.labels.list()[:9])]
    ledger.labels.put(others)
    assert run(ledger, askers=20)["from_labels"] == 70
    assert run(ledger, askers=21)["left_out"]["of too few people"] == len(ledger.labels.list()) - 9


def test_citations_and_behaviour_do_not_count(ledger: Ledger) -> None:
    use(ledger, 30, 3, "cited")
    assert run(ledger)["questions"] == 0


def test_only_what_everybody_may_read_counts_where_that_is_set(ledger: Ledger) -> None:
    use(ledger, 30, 4)
    assert run(ledger, public_only=True)["questions"] == 0


def candidates(rows: Sequence[dict[str, float]], text: str) -> list[Candidate]:
    return [
        Candidate(Passage(f"{n:032x}", "s", "p.md", "t", (), f"{text} {n}", 0, 9, 1, 1, 0, 1), features=row)
        for n, row in enumerate(rows)
    ]


def test_questions_with_known_answers_are_asked_as_their_readers(ledger: Ledger) -> None:
    random, asked = np.random.default_rng(5), []
    questions = [GoldenQuestion(f"q{n}", f"Which {n:x} of {n * 7919:x}?", n % 2 == 0, gold=(
        ((GoldQuote("p.md", f"words {n:x} 0"),),) if n % 2 == 0 else ())) for n in range(80)]

    def judged(question: str, tags: Sequence[str]) -> list[Candidate]:
        asked.append(tags)
        return candidates([evidence(random) for _ in range(3)], f"words {question.split()[1]}")

    found = service(ledger, judged).run(questions, {}, lambda *told: None)
    assert (found["questions"], found["known"], found["answerable"]) == (80, 80, 40)
    assert asked == [["public"]] * 80
    with pytest.raises(NotFound):
        service(ledger, judged).run(questions, {"": "user:nobody@acme.test"}, lambda *told: None)


def test_a_judged_question_without_an_answer_is_searched_and_a_vote_is_not(ledger: Ledger) -> None:
    random = np.random.default_rng(6)
    found = candidates([evidence(random)], "words")
    for source, answer in (("judged", None), ("vote", "gone")):
        ledger.labels.put([Label(f"Who is {source}?", (ANA,), found[0].chunk_id, found[0].passage.text_hash, 1, 3,
                                 source, 1.0, NOW, ANA, answer)])
    assert run(ledger, lambda question, tags: found)["questions"] == 1


def test_a_passage_that_says_something_else_by_now_does_not_count(ledger: Ledger) -> None:
    found = candidates([evidence(np.random.default_rng(7))], "words")
    ledger.labels.put([Label("Who?", (ANA,), found[0].chunk_id, "0" * 64, 1, 3, "judged", 1.0, NOW, ANA)])
    told = run(ledger, lambda question, tags: found)
    assert (told["questions"], told["left_out"]) == (0, {"of another text": 1})


def test_what_the_judge_did_not_read_has_no_part(ledger: Ledger) -> None:
    """Neither passages beyond those it reads, nor a question for a list, which another evaluator judges."""
    model = load_evaluator()
    assert model.judged_with and not MODEL.judged_with
    random = np.random.default_rng(8)
    read, unread = evidence(random), evidence(random) | {"judge_missing": 1.0}
    found = [*candidates([read, unread], "words"), *candidates([{}], "more")]

    def judged(question: str, tags: Sequence[str]) -> list[Candidate]:
        return found[1:] if question.startswith("Which are") else found

    questions = [GoldenQuestion("one", "Who?", False), GoldenQuestion("many", "Which are they?", False)]
    service_of = service(ledger, judged, model=model)
    lists = service_of.golden_lists(questions, {}, {"Who?": "a", "Which are they?": "b"}, print)
    assert list(lists) == ["one"] and list(lists["one"].scores) == [model.score(read)]
    ledger.labels.put([Label("Who?", (ANA,), one.chunk_id, one.passage.text_hash, 1, 3, "judged", 1.0, NOW, ANA)
                       for one in found[:2]])
    told = service_of.run([], {}, lambda *told: None)
    assert (told["from_labels"], told["left_out"]) == (1, {"not among the passages judged": 1})


def test_a_reader_that_a_question_names_asks_it_and_must_be_known(ledger: Ledger) -> None:
    with pytest.raises(NotFound):
        service(ledger).golden_lists([GoldenQuestion("a", "Who?", False, reader=ANA)], {}, {"Who?": "a"}, print)
