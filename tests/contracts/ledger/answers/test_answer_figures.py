"""Figures of answers by the model behind them, whichever database lies under the ledger."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from learning_scene.answered import leave_answer
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.usage.answer_figures import MadeBy

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def leave(ledger: Ledger, number: int, **more: Any) -> None:
    usual = {"fused_by": "fusion:a", "asker": f"user:p{number}@acme.test"}
    leave_answer(ledger, number, NOW + number * MINUTE, **{**usual, **more})


def told(ledger: Ledger, name: str = "fusion:a", **more: Any) -> dict[str, list[float]]:
    found = ledger.answer_figures.of(MadeBy("fused_by", name, **{"per_person": 100, **more}))
    return {figure: values.tolist() for figure, values in found.items()}


def test_figures_come_in_the_order_of_the_answers_and_of_the_votes(ledger: Ledger) -> None:
    leave(ledger, 2, action="declined", confidence=0.125, cited=0)
    leave(ledger, 1, confidence=0.5, cited=2, votes={"user:ana@acme.test": "up", "user:ben@acme.test": "down"})
    leave(ledger, 3, action="replied", cited=0)
    leave(ledger, 4, fused_by="reciprocal ranks", votes={"user:ana@acme.test": "down"})
    assert told(ledger) == {"votes": [1, 0], "answers": [1, 0], "confidence": [0.5, 0.125], "citations": [1, 0]}
    assert told(ledger, "reciprocal ranks")["votes"] == [0]
    assert told(ledger, "nobody") == {"votes": [], "answers": [], "confidence": [], "citations": []}


def test_a_window_takes_answers_and_votes_of_that_time_only(ledger: Ledger) -> None:
    for number in range(6):
        leave(ledger, number, confidence=number / 8, votes={f"user:p{number}@acme.test": "up"}, voted_after=2 * MINUTE)
    assert told(ledger, since=NOW + 4 * MINUTE)["confidence"] == [0.5, 0.625]
    before = told(ledger, before=NOW + 4 * MINUTE)
    assert before["confidence"] == [0.0, 0.125, 0.25, 0.375]
    assert len(before["votes"]) == 2    # the others voted later
    assert told(ledger, last=3)["confidence"] == [0.625, 0.5, 0.375]


def test_when_the_first_was_made(ledger: Ledger) -> None:
    def first(**which: Any) -> datetime | None:
        return ledger.answer_figures.first(MadeBy("fused_by", "fusion:a", 25, **which))

    assert first() is None
    for number in range(3):
        leave(ledger, number)
    assert (first(), first(since=NOW + MINUTE), first(since=NOW + 3 * MINUTE)) == (NOW, NOW + MINUTE, None)


def test_one_person_counts_as_often_as_is_said_and_in_turns(ledger: Ledger) -> None:
    bob = "user:bob@acme.test"
    for number in range(80):
        asker = f"user:p{number % 22}@acme.test" if number % 2 else bob     # eleven others
        leave(ledger, number, asker=asker, confidence=number / 128, votes={bob: "down"})
    found = told(ledger, per_person=3)
    assert (len(found["votes"]), len(found["answers"])) == (1, 36)
    of_bob = [place for place, value in enumerate(found["confidence"]) if value * 128 % 2 == 0]
    assert of_bob == [0, 12, 24]
    newest = told(ledger, per_person=3, last=15)
    assert len(newest["answers"]) == 15
    assert newest["confidence"][0] == 79 / 128
    assert sum(value * 128 % 2 == 0 for value in newest["confidence"]) == 2


def test_an_answer_that_was_purged_counts_for_no_model(ledger: Ledger) -> None:
    from vouch.answering.answer import removed_answer

    leave(ledger, 1)
    stub = removed_answer("a2", "q2", NOW, {})
    leave_answer(ledger, 2, NOW, body=stub)
    assert len(told(ledger)["answers"]) == 1
