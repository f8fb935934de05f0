"""What is looked at afterwards, on each kind of database."""

from datetime import UTC, datetime, timedelta

from ledger_place import LedgerPlace
from past_answers import put

from vouch.adapters.ledger.erasure import Target
from vouch.adapters.ledger.history import PastAnswer, Tally

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
    assert list(ledger.history.answers(AT, AT + DAY)) == [
        PastAnswer("Where is my badge?", ANA, AT, True, 0.1, False),
        PastAnswer("Où est-il ?", BEN, AT + 0.5 * DAY, False, 0.7, True),
    ]
    assert ledger.history.tally(AT, AT + DAY) == Tally(2, 1, 2, 1)
    assert ledger.history.tally(AT - DAY, AT) == Tally(0, 0, 0, 0)
    assert ledger.history.first() == AT
    assert ledger.history.made_at("fusion") is None


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
    assert [one.question for one in ledger.history.answers(AT - DAY, AT + 9 * DAY)] == ["What is qzx1?"]
    assert ledger.history.tally(AT - DAY, AT + 9 * DAY).answers == 1
