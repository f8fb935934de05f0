"""What is looked at afterwards, on each kind of database."""

from datetime import UTC, datetime, timedelta

import numpy as np
from learning_scene.past_answers import put
from machines.ledger_place import LedgerPlace
from sqlalchemy import insert

from vouch.adapters.ledger import ChangedQuestion
from vouch.adapters.ledger.engine.schema import model_pointers, models
from vouch.adapters.ledger.removal.erasure import Target
from vouch.adapters.ledger.usage.measures import SCORES
from vouch.adapters.ledger.usage.past_answers import PastAnswer, Tally

AT = datetime(2026, 11, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)
ANA, BEN = "user:ana@acme.test", "user:ben@acme.test"


def test_answers_are_told_with_who_asked_and_what_became_of_them(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    put(ledger, "late", "Too late?", ANA, AT + DAY)
    put(ledger, "q1", "Where is my badge?", ANA, AT, votes={BEN: "up"})
    put(ledger, "q2", "Où est-il ?", BEN, AT + 0.5 * DAY, action="answered", confidence=0.7,
        votes={ANA: "down", BEN: "up"})
    put(ledger, "small", "Hello!", ANA, AT, action="replied", judged=False)
    put(ledger, "fault", "Where?", ANA, AT, judged=False)
    assert list(ledger.past_answers.answers(AT, AT + DAY)) == [
        PastAnswer("Where is my badge?", ANA, AT, True, 0.1, False),
        PastAnswer("Où est-il ?", BEN, AT + 0.5 * DAY, False, 0.7, True),
    ]
    assert ledger.past_answers.tally(AT, AT + DAY) == Tally(2, 1, 2, 1)
    assert ledger.past_answers.tally(AT - DAY, AT) == Tally(0, 0, 0, 0)
    assert ledger.past_answers.first() == AT
    assert ledger.past_answers.made_at("fusion") is None


def test_a_question_within_a_part_of_the_documents_says_nothing_of_the_others(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    put(ledger, "narrow", "Where is my badge?", ANA, AT, filters={"sources": ["elsewhere"]})
    put(ledger, "wide", "Where is my badge?", BEN, AT)
    assert [one.asker for one in ledger.past_answers.answers(AT, AT + DAY)] == [BEN]


def test_what_was_purged_or_is_too_old_is_in_none_of_it(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    for number in range(3):
        put(ledger, f"q{number}", f"What is qzx{number}?", ANA, AT + number * DAY)
        (row,) = ledger.outbox.claim(["terminal"], AT + number * DAY, DAY)
        assert ledger.outbox.sent(row, AT + number * DAY)
    target = Target([], [], lambda data: b"qzx2" in data)
    made_from = ledger.erasure.made_from(target)
    ledger.erasure.erase(target, made_from, [])
    ledger.expiry.expire(AT + DAY, AT)
    assert [one.question for one in ledger.past_answers.answers(AT - DAY, AT + 9 * DAY)] == ["What is qzx1?"]
    assert ledger.past_answers.tally(AT - DAY, AT + 9 * DAY).answers == 1


def test_words_that_were_deleted_or_changed_are_in_none_of_it(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    for name, into in (("kept", "What is kept?"), ("edited", "What else?"), ("gone", None)):
        put(ledger, name, f"What is {name}?", ANA, AT)
        ledger.changed.put(ChangedQuestion(name, into, AT), AT)
    assert [one.question for one in ledger.past_answers.answers(AT, AT + DAY)] == ["What is kept?"]
    assert [one.text for one in ledger.history.asked()] == ["What is kept?"]
    assert {one.question.id: one.gone for batch in ledger.history.answered(9) for one in batch} == {
        "kept": False, "edited": True, "gone": True}


def test_the_numbers_that_answers_were_ranked_by_are_told(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()

    def row(schema: int, score: float | None, **features: float) -> dict[str, object]:
        return {"chunk_id": "c", "cited": False, "evidence": {}, "schema": schema, "dense_score": score,
                "features": features}

    put(ledger, "q1", "One?", ANA, AT, rows=[row(2, 0.5, sem_gap=0.1), row(2, None, sem_gap=0.2, other=1.0)])
    put(ledger, "q2", "Two?", ANA, AT, rows=[row(2, 0.7)])
    put(ledger, "q3", "Three?", ANA, AT, rows=[row(1, 0.9, sem_gap=9.0)])
    put(ledger, "q4", "Four?", ANA, AT + DAY, rows=[row(2, 0.9, sem_gap=9.0)])
    put(ledger, "q5", "Nothing found?", ANA, AT)
    found = ledger.measures.read(AT, AT + DAY, schema=2, names=["sem_gap"], most=10)
    assert found.answers == 2 and set(found.values) == {*SCORES, "sem_gap"}
    assert sorted(map(str, found.values["dense_score"])) == ["0.5", "0.7", "nan"]
    assert sorted(map(str, found.values["sem_gap"])) == ["0.1", "0.2", "nan"]
    assert np.isnan(found.values["rerank_score"]).all()
    few = ledger.measures.read(AT, AT + DAY, schema=2, names=["sem_gap"], most=1)
    assert few.answers == 1 and len(few.values["dense_score"]) == 2     # all of one answer
    none = ledger.measures.read(AT - DAY, AT, schema=2, names=["sem_gap"], most=1)
    assert none.answers == 0 and len(none.values["sem_gap"]) == 0


def test_when_the_serving_model_was_made_is_told_by_the_registry(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    with ledger._database.write() as connection:
        for name, at in (("fusion-1", AT), ("fusion-2", AT + DAY)):
            connection.execute(insert(models).values(
                name=name, kind="fusion", state="candidate", body={}, report={}, reason=None, made_at=at))
        connection.execute(insert(model_pointers).values(kind="fusion", model="fusion-1", shadow="fusion-2", moves=1))
        connection.execute(insert(model_pointers).values(kind="evaluator", model=None, moves=0))
    assert ledger.past_answers.made_at("fusion") == AT
    assert ledger.past_answers.made_at("evaluator") is None
