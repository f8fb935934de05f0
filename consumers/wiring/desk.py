"""The desk of `vouch ask` and `vouch feedback`."""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

from consumers.desk import QUESTIONS, REPLIES, Desk
from consumers.wiring.clock import now
from consumers.wiring.parts import open_parts
from vouch.adapters.processes import running
from vouch.settings import KafkaLog, Settings

LOOK_S = 0.5


def build_desk(settings: Settings) -> Desk:
    """Who just asks may lack a worker's settings, and judges nothing by them."""
    parts = open_parts(settings, "ask", judges=False)
    worker = parts.worker()
    return Desk(
        ledger=parts.ledger,
        watched=parts.watched,
        producer=parts.producer,
        worker=worker,
        sender=parts.sender(),
        stop=parts.stop,
        clock=now,
        deadline=timedelta(seconds=settings.answering.deadline_seconds),
        ready=parts.index.follow,
        per_minute=settings.asking.per_minute,
        machines=(worker, *parts.machines),
        record=parts.record,
        others=_everything if isinstance(settings.log, KafkaLog) else Lately(partial(done_by, parts.storage.home)),
    )


def _everything() -> frozenset[str]:
    """A broker would share the partitions out anew for a member that stays for one question."""
    return frozenset({QUESTIONS, REPLIES})


def done_by(home: Path) -> frozenset[str]:
    """What the living processes of the home do; one that was killed does nothing."""
    return frozenset(work for process in running(home) for work in process.get("does", ()))


class Lately:
    """What `look` found, at most half a second ago."""

    def __init__(self, look: Callable[[], frozenset[str]]) -> None:
        self._look = look
        self._found: tuple[float, frozenset[str]] | None = None

    def __call__(self) -> frozenset[str]:
        now = time.monotonic()
        if self._found is None or now - self._found[0] >= LOOK_S:
            self._found = now, self._look()
        return self._found[1]
