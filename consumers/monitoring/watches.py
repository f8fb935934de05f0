"""What a process keeps an eye on while it runs: drift, and access rules that cannot be read."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from vouch.access_check.sources import rules_cure
from vouch.errors import Unavailable, VouchError
from vouch.learning.drift.drift_look import Drift
from vouch.plurals import count
from vouch.ports.stores import PermissionStore

EVERY_S = 600.0
_log = logging.getLogger(__name__)


class DriftWatch:
    """Threads share it."""

    def __init__(
        self, look: Callable[[datetime], Drift], clock: Callable[[], datetime],
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._clock = clock
        self._ticks = ticks
        self._lock = threading.Lock()
        self._found: Drift | None = None
        self._began: float | None = None
        self._thread: threading.Thread | None = None

    def latest(self) -> Drift | None:
        """What was found last, without a wait; None before the first look ends, and after one that failed."""
        with self._lock:
            busy = self._thread is not None and self._thread.is_alive()
            if not busy and (self._began is None or self._ticks() - self._began >= EVERY_S):
                self._began = self._ticks()
                self._thread = threading.Thread(target=self._run, name="drift", daemon=True)
                self._thread.start()
            return self._found

    def wait(self, seconds: float) -> None:
        """Until the look under way, if any, has ended, at most so long."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _run(self) -> None:
        try:
            found = self._look(self._clock())
        except VouchError as error:     # that the ledger is down is told elsewhere
            _log.info("drift could not be looked at: %s", type(error).__name__)
            found = None
        with self._lock:
            self._found = found


class RuleFailures:
    """One thread looks."""

    def __init__(self, permissions: PermissionStore) -> None:
        self._permissions = permissions
        self._told: dict[str, str] = {}

    def look(self) -> None:
        """Logs what cannot be read since the last look, and what can again. Raises what the store raises."""
        found = self._permissions.permissions().unreadable
        for source, reason in found.items():
            if self._told.get(source) != reason:
                _log.error("the access rules of source %s cannot be read, so nobody may read its documents: %s",
                           source, reason)
        for source in self._told.keys() - found.keys():
            _log.warning("the access rules of source %s are in force again, or it was removed", source)
        self._told = found


def probe_rules(permissions: PermissionStore) -> str:
    """How many sources have rules that can be read. Raises Unavailable naming those whose rules cannot."""
    found = permissions.permissions()
    if found.unreadable:
        told = "; ".join(f"{source}: {reason}" for source, reason in found.unreadable.items())
        raise Unavailable(f"they cannot be read, so nobody may read the documents of {told}",
                          cure=rules_cure({name: found.rulebooks[name] for name in found.unreadable}))
    return f"rules of {count(len(found.rulebooks), 'source')} in force"
