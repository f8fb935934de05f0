"""CONTRIBUTING.md, "A surface": a toy one beside those of the settings gets each answer once."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from machines.board import Result

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.wiring.surfaces import build_surfaces, served
from vouch.adapters.ledger import Ledger
from vouch.errors import BadMessage, Unavailable
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.surface import AfterDoubt, Delivery
from vouch.settings import Settings

NOW = datetime(2026, 11, 21, 10, tzinfo=UTC)
QUESTION = QuestionAsked(id="q1", text="Who?", surface="pager", asker="public",
                         audience=TagsAudience(tags=("public",)), asked_at=NOW)


class Pager:
    """Its first acknowledgement is lost. A forgetful one, the planted bug, does not know what it has shown."""

    after_doubt: AfterDoubt = "ask"

    def __init__(self, *, forgetful: bool = False) -> None:
        self.shown: list[str] = []
        self._forgetful = forgetful

    def has(self, delivery: Delivery) -> bool:
        return not self._forgetful and delivery.question_id in self.shown

    def post(self, delivery: Delivery) -> None:
        self.shown.append(delivery.question_id)
        if len(self.shown) == 1:
            raise Unavailable("the pager did not say that it has it")


class Quiet:
    """Nobody reads what is sent."""

    def send(
        self, topic: str, key: bytes, value: bytes, headers: Sequence[tuple[str, bytes]] = ()
    ) -> tuple[int, int]:
        return 0, 0

    def close(self) -> None: ...


def answer(question: QuestionAsked) -> Result:
    return Result({"id": "a1", "question_id": question.id}, ["c1"])


def decline(question: QuestionAsked, reason: str) -> dict[str, Any]:
    return {"id": "a1", "reason": reason}


def ask(ledger: Ledger, serves: set[str]) -> None:
    QuestionHandler(answer, decline, ledger, lambda: NOW, served=serves).handle(QUESTION)


def deliver(ledger: Ledger, pager: Pager) -> None:
    """Step 2: beside the surfaces there are."""
    surfaces, later = {**build_surfaces(Settings(), ledger), "pager": pager}, [NOW]
    sender = ReplySender(ledger, lambda audience, chunks: True, answer, decline, surfaces, Quiet(),
                         lambda: later[0], backoff=Backoff(0, 0), served=served(Settings()) | {"pager"})
    for minute in range(0, 40, 4):
        later[0] = NOW.replace(minute=minute)
        sender.step()


def test_each_answer_comes_once_although_the_acknowledgement_was_lost(ledger: Ledger) -> None:
    pager = Pager()
    ask(ledger, served(Settings()) | {"pager"})
    deliver(ledger, pager)
    assert pager.shown == ["q1"]
    assert ledger.outbox.counts() == {"sent": 1}


def test_a_surface_that_does_not_know_what_it_has_shown_is_none(ledger: Ledger) -> None:
    pager = Pager(forgetful=True)
    ask(ledger, served(Settings()) | {"pager"})
    deliver(ledger, pager)
    assert pager.shown == ["q1", "q1"]


def test_a_name_that_nobody_serves_is_refused(ledger: Ledger) -> None:
    with pytest.raises(BadMessage):
        ask(ledger, served(Settings()))
