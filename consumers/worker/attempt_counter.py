"""The attempts at one message: how many count, by what this process saw, whatever the ledger could be told of it."""

import contextlib
from datetime import datetime
from typing import Protocol

from consumers.resilience.retry_on_outage import OUTAGE
from vouch.ports.log import Record


class AttemptStore(Protocol):
    """Counts attempts beyond the life of a process, so that a message that kills it is found out."""

    def begun(self, group: str, record: Record) -> int:
        """How many attempts were begun and not ended."""
        ...

    def put(self, group: str, record: Record, count: int, at: datetime) -> datetime:
        """So many are begun now; when the first of them was."""
        ...

    def end(self, group: str, record: Record) -> None: ...


class AttemptCounter:
    """`begun` is what the ledger said when this process took the message.

    Each write says how many there are, never one more or less: what an outage
    kept from the ledger, or may have, is put right by the next one.
    """

    def __init__(self, store: AttemptStore, group: str, record: Record, begun: int) -> None:
        self._store = store
        self._group = group
        self._record = record
        self._failed = begun
        self._owed = False
        self.count = begun              # the latest one included

    def begin(self, at: datetime) -> datetime:
        """One more, which counts unless it is taken back; when the first of all was begun."""
        self._owed = True
        self.count = self._failed + 1
        return self._store.put(self._group, self._record, self.count, at)

    def failed(self) -> None:
        """The latest one was the message's own fault."""
        self._failed = self.count
        self._owed = False

    def take_back(self, at: datetime) -> None:
        """The latest one does not count: it failed for a reason that is not the message's."""
        self.count = self._failed
        self._store.put(self._group, self._record, self.count, at)
        self._owed = False

    def leave(self, at: datetime) -> None:
        """This process tries no more: what it owes the ledger is paid if that can be."""
        if self._owed:
            with contextlib.suppress(*OUTAGE):
                self.take_back(at)
