"""What becomes of an answer at its surface: posted, refused, served by nobody, and what is posted afterwards.

Not at once: a process whose settings lack a surface cannot know that no other one serves it.
"""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Protocol

from consumers.resilience import OUTAGE
from vouch.adapters.ledger import Ledger, NewNotice, OutboxRow
from vouch.errors import BadInput, Denied
from vouch.ports.surface import Delivery, Preparing, Surface
from vouch.trace import span


class DeliveryError(Exception):
    """The cause says what happened."""


class ReceiverDown(DeliveryError):
    """The surface is down; after a post it may have arrived all the same."""


class PermanentlyRefused(DeliveryError):
    """The surface will never take it."""


class AnswerRejected(DeliveryError):
    """The surface did not take this answer, and said so."""


def has(surface: Surface, delivery: Delivery) -> bool:
    """Raises ReceiverDown where it cannot be asked now."""
    try:
        with span("look"):
            return surface.has(delivery)
    except OUTAGE as error:
        raise ReceiverDown from error


def prepared(surface: Surface, delivery: Delivery) -> Delivery:
    """As the surface wants it to be posted. Raises as `post`."""
    if not isinstance(surface, Preparing):
        return delivery
    with _troubles(), span("prepare"):
        return surface.prepared(delivery)


def post(surface: Surface, delivery: Delivery) -> None:
    """Afterwards it is there.

    Raises ReceiverDown, PermanentlyRefused, AnswerRejected, or what the surface itself did not foresee.
    """
    with _troubles(), span("post"):
        surface.post(delivery)


@contextmanager
def _troubles() -> Iterator[None]:
    try:
        yield
    except OUTAGE as error:
        raise ReceiverDown from error
    except Denied as error:
        raise PermanentlyRefused from error
    except BadInput as error:
        raise AnswerRejected from error


def cause_of(error: Exception) -> Exception:
    """What lies behind a trouble; any other error is its own cause."""
    return error.__cause__ if isinstance(error, DeliveryError) and isinstance(error.__cause__, Exception) else error


EVERY = timedelta(seconds=60)
PATIENCE = timedelta(days=1)
NOTE = "for a day no process served its surface (VOUCH_WORKER__SURFACES names those of other processes)"
_log = logging.getLogger(__name__)


class Undeliverable:
    """`served` are the surfaces that any process serves; None where this process cannot tell, and ends nothing."""

    def __init__(self, ledger: Ledger, served: Collection[str] | None) -> None:
        self._ledger = ledger
        self._served = served
        self._looked: datetime | None = None
        self._named: set[str] = set()

    def end(self, now: datetime) -> None:
        """Looks once a minute. A surface that answers wait for in vain is named in the log once."""
        if self._served is None or (self._looked is not None and now - self._looked < EVERY):
            return
        count = self._ledger.outbox.fail_unserved(self._served, now - PATIENCE, NOTE)
        if count:
            _log.error("replies: %d answers stay unsent: %s", count, NOTE)
        strange = self._ledger.outbox.waiting().keys() - set(self._served)
        for surface in sorted(strange - self._named):
            _log.warning("replies: answers wait for %.60r, which no process serves with these settings; after a day"
                         " they fail (VOUCH_WORKER__SURFACES names surfaces of other processes)", surface)
        self._named = strange
        self._looked = now


class Afterwards(Protocol):
    """Each tells what is to be posted, if anything. It is in the ledger in the same moment as what became of the row,
    so that a crash loses neither, and whoever posts it reads it from there."""

    def sent(self, row: OutboxRow) -> NewNotice | None: ...

    def failed(self, row: OutboxRow, reason: str, doubt: bool) -> NewNotice | None:
        """Nobody tries again. `reason` is why, and holds no words of question or answer. `doubt`: it may be there all
        the same, and the surface does not tell."""
        ...
