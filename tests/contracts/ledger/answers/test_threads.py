"""What came before in a thread, whichever database lies under the ledger."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import ChangedQuestion
from vouch.adapters.ledger.conversations.changed_questions import AS_ANSWERED
from vouch.messages import ConversationAudience, QuestionAsked, TagsAudience

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


def test_small_talk_is_nothing_that_a_question_follows_up_on(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    for one, action in ((question(1), "answered"), (question(2), "replied")):
        body = {"id": f"a{one.id}", "answer": "", "citations": [], "action": action}
        ledger.answers.record(one, body, [], [], one.asked_at)
    assert [one.question.id for one in ledger.threads.earlier(question(3), DAY, 9)] == ["q1"]


def test_strangers_go_on_from_what_they_follow_and_hear_nobody_else(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()

    def stranger(name: str, follows: str, asker: str = "public", minute: int = 0) -> QuestionAsked:
        return QuestionAsked(id=name, text=name, surface="http", asker=asker, thread=follows,
                             audience=TagsAudience(tags=("public",)), asked_at=NOW + timedelta(minutes=minute))

    asked = [stranger("first", "first"), stranger("second", "first", minute=1), stranger("third", "second", minute=2),
             stranger("other", "first", minute=3), stranger("anas", "anas", asker="user:ana")]
    for one in asked:
        ledger.answers.record(one, {"id": f"a{one.id}", "answer": "", "citations": []}, [], [], one.asked_at)

    def earlier(one: QuestionAsked, limit: int = 9) -> list[str]:
        return [found.question.id for found in ledger.threads.earlier(one, DAY, limit)]

    assert earlier(asked[2]) == ["second", "first"] and earlier(asked[2], 1) == ["second"]
    assert earlier(asked[3]) == ["first"]
    assert earlier(stranger("new", "first", minute=9)) == ["first"]
    assert earlier(stranger("new", "anas", minute=9)) == earlier(stranger("new", "none")) == earlier(asked[0]) == []


ANA, BEN = "user:ana@acme.test", "user:ben@acme.test"
FIRST, SECOND = {"kind": "conversation", "surface": "slack", "conversation": "C1"}, {
    "kind": "conversation", "surface": "slack", "conversation": "C2"}


def tags(*names: str) -> dict[str, Any]:
    return {"kind": "tags", "tags": names}


def asked(number: int, asker: str, audience: dict[str, Any]) -> QuestionAsked:
    return QuestionAsked.model_validate({
        "id": f"q{number}", "text": "?", "surface": "terminal", "asker": asker, "audience": audience, "thread": "t",
        "asked_at": NOW + timedelta(minutes=number)})


@pytest.mark.parametrize(("now", "before", "known"), [
    (asked(9, ANA, tags(ANA)), asked(1, ANA, tags(ANA)), True),
    (asked(9, ANA, tags(ANA)), asked(1, ANA, tags(ANA, BEN)), True),
    (asked(9, ANA, tags(ANA)), asked(1, ANA, tags("group:staff")), True),
    (asked(9, ANA, tags(ANA, BEN)), asked(1, ANA, tags(ANA)), False),       # ben has not seen it
    (asked(9, ANA, tags(ANA)), asked(1, BEN, tags(BEN)), False),
    (asked(9, ANA, tags(ANA)), asked(1, BEN, tags(ANA, BEN)), False),       # nobody puts words into another's mouth
    (asked(9, "public", tags("public")), asked(1, ANA, tags(ANA)), False),
    (asked(9, ANA, FIRST), asked(1, BEN, FIRST), True),
    (asked(9, ANA, FIRST), asked(1, ANA, SECOND), False),
    (asked(9, ANA, FIRST), asked(1, ANA, tags(ANA)), False),
    (asked(9, ANA, tags(ANA)), asked(1, ANA, FIRST), False),
])
def test_an_earlier_question_counts_if_its_asker_asks_on_before_the_same_readers(
    ledger_place: LedgerPlace, now: QuestionAsked, before: QuestionAsked, known: bool
) -> None:
    ledger = ledger_place.open()
    ledger.answers.record(before, {"id": "a1", "answer": "", "citations": []}, [], [], before.asked_at)
    assert [one.question for one in ledger.threads.earlier(now, DAY, 3)] == [before] * known


def test_questions_of_others_in_between_change_nothing(ledger_place: LedgerPlace) -> None:
    """However many: who asks learns nothing of them, and what is learned of these readers neither."""
    ledger = ledger_place.open()
    mine = asked(1, "public", tags("public"))
    others = [asked(n, ANA, tags(ANA)) for n in range(2, 130)]
    for one in (mine, *others):
        ledger.answers.record(one, {"id": f"a{one.id}", "answer": "", "citations": []}, [], [], one.asked_at)
    now = asked(200, "public", tags("public"))
    assert [one.question for one in ledger.threads.earlier(now, DAY, 3)] == [mine]


def test_what_somebody_asked_last_in_a_conversation_is_found_in_any_of_its_threads(ledger_place: LedgerPlace) -> None:
    ledger = ledger_place.open()
    here = ConversationAudience(surface="slack", conversation="T/D1")

    def question(minute: float, thread: str, asker: str = ANA, audience: ConversationAudience = here) -> QuestionAsked:
        return QuestionAsked(id=f"q{minute}", text="?", surface="slack", asker=asker, audience=audience, thread=thread,
                             asked_at=NOW + timedelta(minutes=minute))

    def last(minute: float, within: float = 10) -> str | None:
        found = ledger.threads.last(question(minute, "T/D1/new"), "T/D1", timedelta(minutes=within))
        return None if found is None else found.question.id

    others = ConversationAudience(surface="slack", conversation="T/D2")
    asked = [question(1, "T/D1/1"), question(2, "T/D1"), question(3, "T/D1/3"), question(4, "T/D10/4"),
             question(5, "T/D1/5", asker=BEN), question(6, "T/D1/6", audience=others)]
    for one in asked:
        action = "replied" if one is asked[2] else "answered"       # to small talk
        body = {"id": f"a{one.id}", "answer": "", "citations": [], "action": action}
        ledger.answers.record(one, body, [], [], one.asked_at)
    assert [last(at) for at in (0.5, 1, 1.5, 7, 12, 12.5)] == [None, None, "q1", "q2", "q2", None]
    assert last(7, 0) is None


@pytest.mark.parametrize(("words", "while_it_waits", "used"), [
    (None, False, "removed"), ("other words", False, "removed"), ("question 1", False, "question 1"),
    ("other words", True, "removed"), ("question 1", True, "question 1"),
])
def test_words_that_were_changed_after_they_were_answered_are_used_no_more(
    ledger_place: LedgerPlace, words: str | None, while_it_waits: bool, used: str
) -> None:
    """Also those of a change that came while the question was being answered; however old it is."""
    ledger, change = ledger_place.open(), ChangedQuestion("q1", words, NOW)
    if while_it_waits:
        assert ledger.changed.put(change, NOW)
    ledger.answers.record(question(1), {"id": "a1", "answer": "", "citations": []}, [], [], NOW)
    if not while_it_waits:
        assert not ledger.changed.put(change, NOW)
    for later in (ledger.changed.forget, lambda id_: ledger.changed.take_back(id_, NOW)):
        later("q1")
        ledger.changed.put(ChangedQuestion("q9", None, NOW), NOW + timedelta(days=3))
        [found] = ledger.threads.earlier(question(2), DAY, 9)
        assert found.question.text == used
    kept = ledger.changed.find("q1")
    assert kept is not None and kept.text == (AS_ANSWERED if used == "question 1" else None)


@pytest.mark.parametrize(("changed", "words"), [
    ("none", "question 1 question 2"), ("q1", "question 2"), ("q2", "removed"), ("missing", "question 2")])
def test_a_question_stands_for_the_words_that_may_still_be_used(
    ledger_place: LedgerPlace, changed: str, words: str
) -> None:
    ledger, [first, second] = ledger_place.open(), [question(1), question(2)]
    body = {"id": "a2", "understood_as": "question 1 question 2", "understood_from": ["q1"]}
    for one in [second] if changed == "missing" else [first, second]:
        ledger.answers.record(one, {"id": f"a{one.id}", "answer": "", "citations": []}, [], [], NOW)
    ledger.changed.put(ChangedQuestion(changed, None, NOW), NOW)
    text, words_of = ledger.threads.stands_for(second, body)
    assert text == words and words_of == ((second, first) if changed == "none" else (second,))
