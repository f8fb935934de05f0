"""Answers whose surface nobody serves end, with that reason, instead of waiting for ever."""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta

from vouch.adapters.ledger import Ledger

EVERY = timedelta(seconds=60)
NOTE = "no process serves its surface (VOUCH_WORKER__SURFACES names those of other processes)"
_log = logging.getLogger(__name__)


class Unserved:
    """`served` are the surfaces that any process serves; None where this process cannot tell, and ends nothing."""

    def __init__(self, ledger: Ledger, served: Collection[str] | None) -> None:
        self._ledger = ledger
        self._served = served
        self._looked: datetime | None = None

    def end(self, now: datetime) -> None:
        """Looks once a minute."""
        if self._served is None or (self._looked is not None and now - self._looked < EVERY):
            return
        count = self._ledger.outbox.fail_unserved(self._served, NOTE)
        if count:
            _log.error("replies: %d answers stay unsent: %s", count, NOTE)
        self._looked = now
