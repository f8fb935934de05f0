"""Answers whose surface nobody serves end, with that reason, once they have waited for long.

Not at once: a process whose settings lack a surface cannot know that no other one serves it.
"""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta

from vouch.adapters.ledger import Ledger

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
