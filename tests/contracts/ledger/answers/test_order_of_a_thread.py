"""Answers of one thread leave the outbox in the order of their questions, whatever holds one of them up."""

from datetime import UTC, datetime, timedelta

import pytest
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def answered(ledger: Ledger, name: str, thread: str | None, minute: int, surface: str = "slack") -> None:
    asked = QuestionAsked(
        id=name, text="Who?", surface=surface, asker="user:ana@acme.test", thread=thread,
        audience=TagsAudience(tags=("user:ana@acme.test",)), asked_at=NOW + minute * MINUTE,
    )  # fmt: skip
    answer = {"id": f"a{name}", "answer": "Nobody.", "citations": []}
    ledger.answers.record(asked, answer, [], [], NOW)


def claimed(ledger: Ledger, minutes: int = 0, limit: int = 10) -> list[str]:
    rows = ledger.outbox.claim(["slack", "terminal"], NOW + minutes * MINUTE, MINUTE, limit)
    return [row.question.id for row in rows]


def test_what_was_asked_later_in_a_thread_waits_for_what_was_asked_before(ledger: Ledger) -> None:
    for name, minute in (("second", 2), ("first", 1), ("third", 3)):
        answered(ledger, name, "T1/C1/1.0", minute)
    answered(ledger, "elsewhere", "T1/C1/9.0", 5)
    answered(ledger, "alone", None, 6)
    answered(ledger, "terminal", "T1/C1/1.0", 7, "terminal")
    assert sorted(claimed(ledger)) == ["alone", "elsewhere", "first", "terminal"]


def test_one_that_is_put_off_or_being_posted_holds_back_those_after_it(ledger: Ledger) -> None:
    for minute, name in enumerate(("first", "second")):
        answered(ledger, name, "T1/C1/1.0", minute)
    [row] = ledger.outbox.claim(["slack"], NOW, MINUTE)
    assert claimed(ledger) == []
    ledger.outbox.posting(row, NOW, MINUTE)
    assert claimed(ledger) == []
    ledger.outbox.later(row, NOW + 10 * MINUTE, "refused", posted=False)
    assert claimed(ledger, 9) == []
    [row] = ledger.outbox.claim(["slack"], NOW + 10 * MINUTE, MINUTE)
    assert row.question.id == "first"
    ledger.outbox.replace(row, {"id": "anew", "answer": "Somebody.", "citations": []}, [], [], NOW + 20 * MINUTE, 1)
    [row] = ledger.outbox.claim(["slack"], NOW + 20 * MINUTE, MINUTE)
    assert row.question.id == "first"
    ledger.outbox.sent(row, NOW)
    assert claimed(ledger, 20) == ["second"]


def test_one_that_failed_for_good_holds_back_nobody(ledger: Ledger) -> None:
    for minute, name in enumerate(("first", "second")):
        answered(ledger, name, "T1/C1/1.0", minute)
    [row] = ledger.outbox.claim(["slack"], NOW, MINUTE)
    ledger.outbox.fail(row, "never")
    assert claimed(ledger) == ["second"]
