"""Senders side by side, slow ones and dead ones: each answer is posted once, and at once."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from machines.reply_wall import Asked, Rights, Wall, settle

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from vouch.adapters.ledger import Ledger


def test_senders_side_by_side_post_each_answer_once(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any, question: Asked
) -> None:
    handler = QuestionHandler(loop.answer, loop.decline, ledger, clock)
    for i in range(30):
        handler.handle(question(f"q{i}"))

    def work(one: ReplySender) -> None:
        while one.step():
            pass

    threads = [threading.Thread(target=work, args=(sender(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(post.question_id for post in wall.posts) == sorted(f"q{i}" for i in range(30))
    assert ledger.outbox.counts() == {"sent": 30}


def test_an_answer_made_in_this_process_is_sent_at_once(
    ledger: Ledger, sender: Callable[..., ReplySender], loop: Any, clock: Any, question: Asked, wall: Wall
) -> None:
    stop, sending, handler = threading.Event(), sender(), QuestionHandler(loop.answer, loop.decline, ledger, clock)
    thread = threading.Thread(target=sending.run, args=(stop,), kwargs={"idle_s": 20.0})
    thread.start()
    began = time.monotonic()
    for number in range(5):
        handler.handle(question(f"q{number}"))
        while len(wall.posts) <= number and time.monotonic() - began < 15:
            time.sleep(0.005)
    stop.set()
    handler.handle(question("q5"))
    thread.join()
    assert len(wall.posts) >= 5 and time.monotonic() - began < 10


@pytest.mark.usefixtures("answered")
def test_a_sender_that_was_away_too_long_before_it_posts_leaves_it_to_the_other(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, loop: Any, clock: Any
) -> None:
    def slow(audience: Any, chunks: Any) -> bool:
        clock.now += timedelta(minutes=10)      # its lease is over
        assert ledger.outbox.claim(["terminal"], clock.now, timedelta(minutes=2))
        return True

    sender(still_visible=slow).step()
    assert wall.posts == [] and ledger.outbox.counts() == {"sending": 1}
    assert loop.made == 1, "nor is it answered anew"


@pytest.mark.usefixtures("answered")
def test_nor_does_one_post_that_was_away_too_long_before_its_mark(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, rights: Rights, clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    claim = ledger.outbox.claim

    def slow(*which: Any, **how: Any) -> Any:
        rows = claim(*which, **how)
        clock.now += timedelta(minutes=10)
        assert claim(["terminal"], clock.now, timedelta(minutes=2))
        return rows

    monkeypatch.setattr(ledger.outbox, "claim", slow)
    sender().step()
    assert wall.posts == [] and rights.asked == []


@pytest.mark.usefixtures("answered")
def test_a_sender_that_died_before_it_posted_leaves_no_doubt(
    ledger: Ledger, sender: Callable[..., ReplySender], wall: Wall, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ledger.outbox.claim(["terminal"], clock.now, timedelta(minutes=2))
    clock.now += timedelta(minutes=3)
    monkeypatch.setattr(wall, "has", lambda delivery: pytest.fail("nobody needs to be asked"))
    settle(sender(), clock, 3)
    assert len(wall.posts) == 1
