"""A vote reaches the ledger through the log; one per person and answer."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from consumers.questions.handler import FeedbackHandler, QuestionHandler
from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import DeadLetter, FeedbackGiven, QuestionAsked


def test_votes_reach_the_ledger_and_those_on_nothing_the_dead_topic(
    log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, fast: Backoff, send: Any,
    question: Callable[..., QuestionAsked],
) -> None:  # fmt: skip
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question())
    first = FeedbackGiven(answer_id="q1-1", person="user:ana@acme.test", vote="up", at=clock())
    said = {"vote": "down", "reason": "old", "category": "outdated"}
    changed = first.model_copy(update={**said, "at": clock() + timedelta(seconds=1)})
    for message in (first, changed, first, first.model_copy(update={"answer_id": "nothing"})):
        send(message)
    worker = Worker(
        log, "g", {"feedback": FeedbackHandler(ledger, clock)}, ledger.attempts, clock, threading.Event(), backoff=fast
    )
    worker.run(drain=True)
    [vote] = ledger.feedback.list()
    assert (vote.answer_id, vote.person, vote.vote, vote.reason) == ("q1-1", "user:ana@acme.test", "down", "old")
    assert vote.category == "outdated"
    [record] = log.read("feedback.dead")
    assert DeadLetter.read(record.headers).error == "NotFound"


def test_a_vote_dated_ahead_is_of_now(
    ledger: Ledger, loop: Any, clock: Any, question: Callable[..., QuestionAsked]
) -> None:
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question())
    ahead = FeedbackGiven(answer_id="q1-1", person="user:ana@acme.test", vote="up", at=clock() + timedelta(days=365))
    FeedbackHandler(ledger, clock).handle(ahead)
    assert [vote.at for vote in ledger.feedback.list()] == [clock()]
