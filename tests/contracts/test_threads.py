"""What came before in a thread, whichever database lies under the ledger."""

from datetime import UTC, datetime, timedelta

from ledger_place import LedgerPlace

from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def question(number: int, thread: str | None = "t", surface: str = "terminal", day: int = 0) -> QuestionAsked:
    return QuestionAsked(
        id=f"q{number}", text=f"question {number}", surface=surface, asker="user:ana", thread=thread,
        audience=TagsAudience(tags=("user:ana",)), asked_at=NOW + timedelta(days=day, minutes=number),
    )  # fmt: skip


def test_earlier_questions_of_the_thread_come_newest_first_and_no_others(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    asked = [question(1), question(2), question(3, thread="other"), question(4, surface="http"), question(5, None),
             question(6), question(7), question(9), question(0, day=-2)]
    for one in asked:
        at = one.asked_at
        ledger.answers.record(one, {"id": f"a{one.id}", "answer": "", "citations": []}, [], [], at)

    def earlier(one: QuestionAsked, limit: int = 9) -> list[str]:
        return [found.question.id for found in ledger.threads.earlier(one, DAY, limit)]

    assert earlier(question(8)) == ["q7", "q6", "q2", "q1"]
    assert earlier(question(7)) == ["q6", "q2", "q1"]           # answered anew: not itself, nor what came later
    assert earlier(question(8), 2) == ["q7", "q6"]
    assert earlier(question(8, thread="other")) == ["q3"]
    assert earlier(question(8, thread=None)) == earlier(question(8, thread="new")) == []
    [found] = ledger.threads.earlier(question(2), DAY, 9)
    assert (found.question, found.answer["id"]) == (asked[0], "aq1")
