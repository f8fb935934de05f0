"""The ingest of what was gathered, in a thread beside the one that reads the log, and the attempts at it."""

import threading
from collections.abc import Callable
from datetime import datetime

from consumers.documents.debounce import Gathered
from consumers.resilience import OUTAGE
from consumers.worker.message_processor import AttemptCounter, AttemptStore
from vouch.errors import Guarded, ProcessEnded
from vouch.ports.ingestion import IngestRunner

LATER = (*OUTAGE, Guarded)              # raised by a starter: the same may succeed, and it was no attempt


class IngestAttempts:
    """The first of the gathered messages stands for all when attempts are counted: it stays the first."""

    def __init__(
        self,
        starter: IngestRunner,
        group: str,
        attempts: AttemptStore,
        clock: Callable[[], datetime],
        stop: threading.Event,
        most: int,
    ) -> None:
        """An ingest is tried `most` times, and told to end when `stop` is set."""
        self._starter = starter
        self._group = group
        self._attempts = attempts
        self._clock = clock
        self._stop = stop
        self.most = most

    def ingest(self, gathered: Gathered) -> None:
        """The index has what was gathered. Raises what the starter raises."""
        if gathered.tries is None:
            first = gathered.records[0]
            begun = self._attempts.begun(self._group, first)
            gathered.tries = AttemptCounter(self._attempts, self._group, first, begun)
        gathered.first_attempt = gathered.tries.begin(self._clock())
        try:
            if gathered.tries.count > self.most:
                raise ProcessEnded(self.most, f"ingesting {gathered.source}")
            paths = None if gathered.paths is None else sorted(gathered.paths)
            self._starter.ingest(gathered.source, paths, self._stop.is_set)
        except LATER:
            gathered.tries.take_back(self._clock())
            raise
        except Exception:
            gathered.tries.failed()
            raise

    def spent(self, gathered: Gathered) -> bool:
        """Whether no attempt is left, those before a restart included."""
        return gathered.tries is not None and gathered.tries.count >= self.most

    def end(self, gathered: Gathered) -> None:
        """Its attempts need not be known any longer."""
        self._attempts.end(self._group, gathered.records[0])

    def leave(self, gathered: Gathered) -> None:
        """This process tries no more."""
        if gathered.tries is not None:
            gathered.tries.leave(self._clock())
