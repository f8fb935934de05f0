"""A follow-up is asked with what came before it; what may stand alone, alone first."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from consumers.questions import answerer as answering
from consumers.questions.answerer import Answerer, better_of, left_of
from consumers.questions.follow_ups import turns
from vouch.access import Directory
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import EarlierQuestion
from vouch.answering.answer import REMOVED
from vouch.correction.outcome import Outcome
from vouch.correction.planning.limits import Limits
from vouch.correction.progress import Listener
from vouch.messages import LONGEST_QUESTION, QuestionAsked
from vouch.values.question import Question

NOW = datetime(2026, 11, 23, tzinfo=UTC)
FIRST, LATER = "How many days of leave do employees get?", "And for contractors?"


def asked(text: str, *tags: str, asker: str = "", **more: Any) -> QuestionAsked:
    return QuestionAsked.model_validate({
        "id": f"q{random.randrange(10**9)}", "text": text, "surface": "terminal", "asker": asker or tags[0],
        "audience": {"tags": tags}, "thread": "t", "asked_at": NOW, **more})


def earlier(question: QuestionAsked) -> EarlierQuestion:
    return EarlierQuestion(question, {})


def test_what_lies_behind_a_purged_question_counts_no_more() -> None:
    before = [earlier(asked(text, "user:ana")) for text in ("third", REMOVED, "first")]
    assert [turn.question for turn in turns(before, [True] * 3, SnowballAnalyser())] == ["third"]


def test_whether_a_question_of_others_followed_up_is_told_by_its_words_alone() -> None:
    """Their answer says so by reason of what they may read."""
    before = EarlierQuestion(asked("How many laptops are granted?", "user:ana"), {"understood_as": "And laptops?"})
    for alike in (True, False):
        [turn] = turns([before], [alike], SnowballAnalyser())
        assert turn.followed_up is alike
    assert turns([earlier(asked(LATER, "user:ana"))], [False], SnowballAnalyser())[0].followed_up


class Loop:
    """Stands for the corrective loop: sure of what `sure` holds."""

    def __init__(self, *sure: str) -> None:
        self.sure, self.questions = sure, list[Question]()

    def __call__(self, question: Question, components: Any, listener: Listener | None = None) -> Outcome:
        self.questions.append(question)
        found = any(word in question.whole for word in self.sure)
        action, value = ("answered", 0.9) if found else ("declined", 0.1 + 0.01 * len(self.questions))
        answer: Any = SimpleNamespace(action=action, confidence=SimpleNamespace(value=value), said=question.whole)
        return Outcome(answer, [], ())


def answer(
    monkeypatch: pytest.MonkeyPatch, loop: Loop, message: QuestionAsked, before: Sequence[EarlierQuestion]
) -> str:
    monkeypatch.setattr(answering, "answer_question", loop)
    permissions: Any = SimpleNamespace(permissions=lambda: SimpleNamespace(directory=Directory()))
    components: Any = SimpleNamespace(analyser=SnowballAnalyser(), steps=Limits(), completer=None)
    index: Any = SimpleNamespace()
    made = Answerer(permissions, index, lambda: components, lambda: NOW, earlier=lambda _: before).answer(message)
    return str(made.answer.said)                       # type: ignore[attr-defined]


def test_a_follow_up_is_asked_with_what_came_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, before = Loop("leave"), [earlier(asked(FIRST, "user:ana"))]
    assert answer(monkeypatch, loop, asked(LATER, "user:ana"), before) == f"{FIRST} {LATER}"
    assert [(one.text, one.understood_as) for one in loop.questions] == [(LATER, f"{FIRST} {LATER}")]


def test_what_may_stand_alone_is_asked_alone_first(monkeypatch: pytest.MonkeyPatch) -> None:
    before, text = [earlier(asked(FIRST, "user:ana"))], "How many laptops are granted?"
    loop = Loop("laptops")
    assert answer(monkeypatch, loop, asked(text, "user:ana"), before) == text
    assert len(loop.questions) == 1
    assert answer(monkeypatch, Loop("leave"), asked(text, "user:ana"), before) == f"{FIRST} {text}"
    neither_is_sure = answer(monkeypatch, Loop(), asked(text, "user:ana"), before)
    assert neither_is_sure == f"{FIRST} {text}"         # the second decline of this loop is the surer one


def test_words_that_may_not_leave_the_company_do_not_leave_it_with_a_follow_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = Loop()
    answer(monkeypatch, loop, asked(LATER, "user:ana"), [earlier(asked(FIRST, "user:ana", outside=False))])
    assert [one.outside for one in loop.questions] == [False]


@pytest.mark.parametrize("completed", [False, True])
def test_earlier_questions_that_documents_chose_do_not_leave_the_company(
    monkeypatch: pytest.MonkeyPatch, completed: bool
) -> None:
    """Whether the second question was completed depends on what the documents said to it as it stood."""
    second = asked("How many laptops are granted?", "user:ana")
    answered = {"understood_as": f"{FIRST} {second.text}"} if completed else {}
    loop, before = Loop(), [EarlierQuestion(second, answered), earlier(asked(FIRST, "user:ana"))]
    answer(monkeypatch, loop, asked(LATER, "user:ana"), before)
    [question] = loop.questions
    assert question.understood_as.startswith(FIRST) is completed and question.outside is not completed


def test_a_question_too_long_with_what_came_before_is_asked_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, text = Loop(), "it " * (LONGEST_QUESTION // 3)
    assert answer(monkeypatch, loop, asked(text, "user:ana"), [earlier(asked(FIRST, "user:ana"))]) == text


def test_without_a_thread_or_a_need_nothing_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = Loop()
    monkeypatch.setattr(answering, "answer_question", loop)
    long = "Who approves the purchase of laptops that cost more than eight hundred dollars for contractors?"
    permissions: Any = SimpleNamespace(permissions=lambda: SimpleNamespace(directory=Directory()))
    components: Any = SimpleNamespace(analyser=SnowballAnalyser(), steps=Limits(), completer=None)
    nothing: Any = SimpleNamespace()

    def refuse(_: QuestionAsked) -> list[EarlierQuestion]:
        raise AssertionError("looked up")

    Answerer(permissions, nothing, lambda: components, lambda: NOW, earlier=refuse).answer(asked(long, "user:ana"))
    assert [one.understood_as for one in loop.questions] == [""]


def _ran(action: str, value: float, steps: int, *given: str) -> Any:
    answer = SimpleNamespace(action=action, confidence=SimpleNamespace(value=value), warnings=[],
                             timings_ms={"steps": 12_500.0},
                             steps=[SimpleNamespace(tool="rag", ms=4000.0)] * steps)
    answer.model_copy = lambda update: SimpleNamespace(**(vars(answer) | update))
    return Outcome(answer, [], given)


def test_two_runs_of_one_question_share_what_it_may_cost_and_the_other_one_is_told() -> None:
    alone, whole = _ran("declined", 0.1, 3, "a"), _ran("answered", 0.9, 1, "b")
    left = left_of(Limits(seconds=10.0, searches=2), alone.answer)
    assert (left.seconds, left.searches, left.taken, left.web_taken, left.web_searches) == (0.0, 0, 3, 0, 2)
    found = better_of(alone, whole)
    [note] = found.answer.warnings
    assert note == "3 further steps went to the question as it stands, which is not what this answers"
    assert found.given == ("b", "a") and better_of(_ran("declined", 0.1, 0), whole) is whole
