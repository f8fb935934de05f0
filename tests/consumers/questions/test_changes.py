"""Words that a question was changed into are let go of with its answer, whenever they came."""

from collections.abc import Callable
from typing import Any

import pytest

from consumers.questions.handler import QuestionHandler
from vouch.adapters.ledger import ChangedQuestion, Ledger
from vouch.adapters.ledger.conversations.changed_questions import AS_ANSWERED
from vouch.messages import QuestionAsked


def test_changes_that_come_while_it_is_answered_are_let_go_of(
    ledger: Ledger, loop: Any, clock: Any, question: Callable[..., QuestionAsked],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    asked = question("q1")

    def answer(one: QuestionAsked) -> Any:
        assert ledger.changed.put(ChangedQuestion("q1", "too late", clock()), clock())
        return loop.answer(one)

    handler = QuestionHandler(answer, loop.decline, ledger, clock)
    forget = ledger.changed.forget
    monkeypatch.setattr(type(ledger.changed), "forget", lambda *given: None)
    handler.handle(asked)
    assert ledger.answers.answered("q1")
    monkeypatch.setattr(type(ledger.changed), "forget", lambda _, named: forget(named))     # back from the dead
    handler.handle(asked)
    kept = ledger.changed.find("q1")
    assert kept is not None and kept.text is None           # that other words were answered is known still


def test_those_of_a_question_that_is_given_up_are_let_go_of(
    ledger: Ledger, loop: Any, clock: Any, question: Callable[..., QuestionAsked]
) -> None:
    ledger.changed.put(ChangedQuestion("q1", "other words", clock()), clock())
    QuestionHandler(loop.answer, loop.decline, ledger, clock).give_up(question("q1"))
    kept = ledger.changed.find("q1")
    assert ledger.answers.answered("q1") and kept is not None and kept.text == AS_ANSWERED
