"""What the ledger promises of the list of answers, whichever database lies under it."""

from datetime import UTC, datetime, timedelta

import pytest
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.answers.sent_outlines import SentOutline
from vouch.answering.answer import REMOVED
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.surface import Delivery

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    """Six answers, two of each moment; the last is not sent yet, and one was emptied by a purge."""
    made = ledger_place.open()
    for number in range(6):
        question = QuestionAsked(
            id=f"q{number}", text=REMOVED if number == 2 else "Why?", surface="http", asker="user:ana",
            audience=TagsAudience(tags=("public",)), asked_at=NOW,
        )  # fmt: skip
        told = {"verdict": {"kind": "correct"}, "timings_ms": {"rerank": 7.5, "total": 1250.5}} if number else {}
        body = {"id": f"a{number}", "action": "answered", "verdict": None, "timings_ms": {}, **told}
        assert made.answers.record(question, body, [], [], NOW + timedelta(hours=number // 2))
        if number < 5:
            made.surface.post(Delivery(f"q{number}", None, body))
    return made


def test_no_character_that_a_model_writes_keeps_the_list_from_being_read(ledger: Ledger) -> None:
    question = QuestionAsked(id="q9", text="Why?", surface="http", asker="user:ana",
                             audience=TagsAudience(tags=("public",)), asked_at=NOW)
    body = {"id": "a9", "action": "answered", "verdict": {"kind": "correct", "reason": "a\ud800b \ud83d"},
            "timings_ms": {"total": 1.5}, "orders": [{"thought": "done\x00, \U0001f600 \\u0000"}], "a\x00": 1}
    assert ledger.answers.record(question, body, [], [], NOW + timedelta(hours=9))
    ledger.surface.post(Delivery("q9", None, body))
    assert ledger.sent_outlines.list(1) == [SentOutline("a9", NOW + timedelta(hours=9), "answered", "correct", 1.5)]
    assert ledger.answers.get("a9") == {
        **{name: held for name, held in body.items() if name != "a\x00"}, "a\ufffd": 1,
        "verdict": {"kind": "correct", "reason": "a\ufffdb \ufffd"},
        "orders": [{"thought": "done\ufffd, \U0001f600 \\u0000"}],
    }


def test_the_newest_come_first_with_nothing_but_what_became_of_them(ledger: Ledger) -> None:
    later, first = NOW + timedelta(hours=2), NOW
    assert ledger.sent_outlines.list(50) == [
        SentOutline("a4", later, "answered", "correct", 1250.5),
        SentOutline("a3", NOW + timedelta(hours=1), "answered", "correct", 1250.5),
        SentOutline("a1", first, "answered", "correct", 1250.5),
        SentOutline("a0", first, "answered", None, None),
    ]


@pytest.mark.parametrize("size", [1, 3])
def test_pages_join_to_the_whole_list(ledger: Ledger, size: int) -> None:
    found, before = list[SentOutline](), None
    while page := ledger.sent_outlines.list(size, before):
        found += page
        before = page[-1].at, page[-1].id
    assert found == ledger.sent_outlines.list(50)


def test_a_name_that_is_none_is_that_of_no_answer(ledger: Ledger) -> None:
    assert ledger.sent.find("a\x00") is None


def test_who_asked_is_known_whether_the_answer_was_sent_or_not(ledger: Ledger) -> None:
    found = [ledger.asked_by.question(name) for name in ("q0", "q5", "q7")]
    assert [one and one.asker for one in found] == ["user:ana", "user:ana", None]
