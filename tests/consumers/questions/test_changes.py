"""Words that a question was changed into are let go of with its answer, whenever they came."""

from collections.abc import Callable
from typing import Any

from consumers.questions.handler import QuestionHandler
from vouch.adapters.ledger import ChangedQuestion, Ledger
from vouch.messages import QuestionAsked


def test_changes_that_come_while_it_is_answered_are_let_go_of(
    ledger: Ledger, loop: Any, clock: Any, question: Callable[..., QuestionAsked]
) -> None:
    asked = question("q1")

    def answer(one: QuestionAsked) -> Any:
        assert ledger.changed.put(ChangedQuestion("q1", "too late", clock()), clock())
        return loop.answer(one)

    QuestionHandler(answer, loop.decline, ledger, clock).handle(asked)
    assert ledger.answers.answered("q1") and ledger.changed.find("q1") is None


def test_those_of_a_question_that_is_given_up_are_let_go_of(
    ledger: Ledger, loop: Any, clock: Any, question: Callable[..., QuestionAsked]
) -> None:
    ledger.changed.put(ChangedQuestion("q1", "other words", clock()), clock())
    QuestionHandler(loop.answer, loop.decline, ledger, clock).give_up(question("q1"))
    assert ledger.answers.answered("q1") and ledger.changed.find("q1") is None
