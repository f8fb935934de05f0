"""Hand-overs, drafts and messages that wait, whichever database lies under them."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Draft, Ledger
from vouch.adapters.ledger.handoffs import draft_id
from vouch.adapters.ledger.notices import LEASE
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import Guarded, NotFound, Usage
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
ANA, BEN = "user:ana@acme.test", "user:ben@acme.test"


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    made = ledger_place.open()
    for n in range(8):
        asked = QuestionAsked(id=f"q{n}", text="Who?", surface="slack", asker=ANA, thread=f"T1/C1/{n}.0",
                              audience=TagsAudience(tags=(ANA,)), asked_at=NOW + n * timedelta(minutes=1))
        made.answers.record(asked, {"id": f"{n}" * 32, "question": "Who?"}, [], [f"c{n}"], asked.asked_at)
        if n != 7:
            for row in made.outbox.claim(["slack"], NOW + HOUR, HOUR, 10):
                assert made.outbox.sent(row, NOW)
    return made


def opened(ledger: Ledger, n: int, by: str = ANA, at: datetime = NOW, thread: str = "", most: int = 5) -> bool:
    return ledger.handoffs.open(f"{n}" * 32, "T1/C1", thread or f"T1/C1/{n}.0", by, at, most)[1]


def draft(n: int = 1) -> Draft:
    return Draft(draft_id(f"{n}" * 32), f"{n}" * 32, "T1/C1", ("docs:a.md",), "Who? 你好", "Ben 🙂", (ANA, BEN),
                 "waiting", BEN, NOW, NOW + timedelta(days=30))


def together(*acts) -> list[object]:
    """Each in a thread of its own, at once."""
    done: list[object] = []
    gate = threading.Barrier(len(acts))

    def act(one) -> None:
        gate.wait()
        done.append(one())

    threads = [threading.Thread(target=act, args=(one,)) for one in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def test_of_many_presses_at_once_one_opens(ledger: Ledger) -> None:
    done = together(*[lambda n=n: opened(ledger, n % 2, by=f"user:{n}", thread="T1/C1/1.0") for n in range(6)])
    assert sorted(done) == [False] * 5 + [True]
    assert len(ledger.handoffs.list()) == 1 and len(ledger.notices.waiting()) == 1


def test_a_thread_has_one_at_a_time_and_an_answer_one_for_ever(ledger: Ledger) -> None:
    assert opened(ledger, 1, thread="t") and not opened(ledger, 2, thread="t")
    assert ledger.drafts.resolve("1" * 32, BEN, "Ben", None, None, NOW)
    assert opened(ledger, 2, thread="t") and not opened(ledger, 1, thread="t")


def test_the_limit_counts_what_a_person_has_opened_within_the_hour(ledger: Ledger) -> None:
    assert opened(ledger, 1, most=2) and opened(ledger, 2, most=2)
    with pytest.raises(Guarded, match="2 times"):
        opened(ledger, 3, most=2)
    assert not opened(ledger, 1, most=2)                    # it is no new one
    assert opened(ledger, 3, by=BEN, most=2) and opened(ledger, 4, at=NOW + HOUR, most=2)


def test_one_takes_it_and_one_resolves_it(ledger: Ledger) -> None:
    opened(ledger, 1)
    one = "1" * 32
    assert sorted(together(*[lambda: ledger.handoffs.take(one, BEN, "Ben", NOW)] * 3)) == [False, False, True]
    resolve = [lambda: ledger.drafts.resolve(one, BEN, "Ben", "Ben 🙂", draft(), NOW)] * 3
    assert sorted(together(*resolve)) == [False, False, True]
    found = ledger.handoffs.get(one)
    assert (found.state, found.taken_by, found.resolved_at, found.words) == ("resolved", BEN, NOW, "Ben 🙂")
    assert not ledger.handoffs.take(one, ANA, "Ana", NOW) and ledger.drafts.list() == [draft()]
    for act in (lambda: ledger.handoffs.get("x"), lambda: ledger.drafts.resolve("x", BEN, "B", None, None, NOW)):
        with pytest.raises(NotFound):
            act()


def test_of_two_decisions_at_once_one_counts(ledger: Ledger) -> None:
    opened(ledger, 1)
    ledger.drafts.resolve("1" * 32, BEN, "Ben", "x", draft(), NOW)

    def decide(state: str) -> str:
        try:
            return ledger.drafts.decide(draft().id[:8], state, ANA, NOW).state
        except Usage:
            return "no"

    assert "refused" in together(lambda: decide("approved"), lambda: decide("refused"))
    assert ledger.drafts.get(draft().id).state == "refused"
    assert ledger.drafts.expire(NOW + timedelta(days=31)) == 0


def test_a_message_is_claimed_by_one_and_comes_back_after_the_lease(ledger: Ledger) -> None:
    for name in ("n1", "n2"):
        assert ledger.notices.add(name, "digest", {"text": "words"}, NOW) and not ledger.notices.add(name, "x", {}, NOW)
    claimed = together(*[lambda: ledger.notices.claim(NOW)] * 4)
    assert sorted(one.id for one in claimed if one) == ["n1", "n2"] and claimed.count(None) == 2
    again = ledger.notices.claim(NOW + LEASE)
    assert again is not None and (again.id, again.tries, again.body) == ("n1", 1, {"text": "words"})
    ledger.notices.finish("n1", "posted")
    ledger.notices.later("n2", NOW + 2 * HOUR)
    assert ledger.notices.claim(NOW + HOUR) is None and ledger.notices.waiting() == ["n2"]


def test_own_questions_are_found_once_their_answers_are_sent(ledger: Ledger) -> None:
    recent = ledger.asked_by.recent(ANA, "slack", NOW, 3)
    assert [one.question.id for one in recent] == ["q6", "q5", "q4"] and recent[0].given == ("c6",)
    assert ledger.asked_by.recent(BEN, "slack", NOW, 3) == [] == ledger.asked_by.recent(ANA, "http", NOW, 3)
    assert ledger.asked_by.find("1" * 8).question.id == "q1"            # type: ignore[union-attr]
    assert ledger.asked_by.find("7" * 32) is None and ledger.asked_by.find("%") is None


def test_a_purge_takes_what_people_wrote_about_answers_that_it_empties(ledger: Ledger) -> None:
    for n in (1, 2, 3):
        assert opened(ledger, n)
        made = replace(draft(n), documents=("docs:b.md",) if n == 2 else ("docs:other.md",))
        assert ledger.drafts.resolve(f"{n}" * 32, BEN, "Ben", f"in other words {n}", made, NOW)
    emptied = Target([("docs", "b.md")], (), lambda data: False)
    ledger.erasure.erase(emptied, ["1" * 32], ["1" * 32])
    assert [one.answer_id for one in ledger.drafts.list()] == ["3" * 32]         # 1 was emptied, 2 cites the document
    assert [ledger.handoffs.get(f"{n}" * 32).words for n in (1, 3)] == [None, "in other words 3"]
