"""A sender of replies, its surface, and a question that is answered."""

from collections.abc import Callable
from typing import Any

import pytest
from machines.ledger_place import LedgerPlace
from machines.reply_wall import Asked, Rights, Wall

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    """Here the outbox is on trial, so on every kind of database."""
    return ledger_place.open()


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def rights() -> Rights:
    return Rights()


@pytest.fixture
def sender(
    log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, wall: Wall, rights: Rights
) -> Callable[..., ReplySender]:
    def made(**changes: Any) -> ReplySender:
        return ReplySender(
            ledger, changes.get("still_visible", rights.still_visible), loop.answer, loop.decline,
            changes.get("surfaces", {"terminal": wall}), changes.get("producer", log.producer()), clock,
            backoff=Backoff(1, 1), served=changes.get("served"), telemetry=changes.get("telemetry"),
        )  # fmt: skip

    return made


@pytest.fixture
def answered(ledger: Ledger, loop: Any, clock: Any, question: Asked) -> None:
    QuestionHandler(loop.answer, loop.decline, ledger, clock).handle(question())
