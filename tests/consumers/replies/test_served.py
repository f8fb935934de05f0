"""Answers of a surface that this process does not serve are left to whoever does, and not for ever."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from machines.reply_wall import Asked, Wall, settle

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from vouch.adapters.ledger import Ledger


@pytest.mark.usefixtures("answered")
def test_answers_of_another_surface_are_left_to_its_process(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall
) -> None:
    assert sender(surfaces={"slack": wall}).step() is False
    assert ledger.outbox.counts() == {"pending": 1}


@pytest.mark.usefixtures("answered")
def test_an_answer_whose_surface_nobody_serves_ends_as_failed_with_the_reason(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked
) -> None:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock)
    handler.handle(question("q2", surface="elsewhere"))
    handler.handle(question("q3", surface="nowhere"))
    one = sender(served=["terminal", "elsewhere"])
    settle(one, clock, 3)
    clock.now += timedelta(hours=23, minutes=50)
    settle(one, clock, 3)
    assert ledger.outbox.counts() == {"sent": 1, "pending": 2}, "nothing ends before a day is over"
    clock.now += timedelta(minutes=15)
    settle(one, clock, 3)
    assert ledger.outbox.counts() == {"sent": 1, "pending": 1, "failed": 1}
    assert list(ledger.outbox.waiting()) == ["elsewhere"]


def test_a_process_that_lacks_the_settings_of_a_surface_ends_no_answer_of_those_who_serve_it(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked,
    caplog: pytest.LogCaptureFixture,
) -> None:
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question("q2", surface="callback"))
    without = sender(served=["terminal"])
    for _ in range(5):
        without.step()
        clock.now += timedelta(minutes=5)
    assert ledger.outbox.counts() == {"pending": 1}
    assert len([one for one in caplog.records if "'callback'" in one.getMessage()]) == 1
    settle(sender(surfaces={"callback": wall}, served=["callback"]), clock, 3)
    assert [post.question_id for post in wall.posts] == ["q2"]
