"""Whether a process that serves people is ready for them, in words that tell of no document."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from consumers.monitoring.exposition import STUCK_S
from consumers.monitoring.telemetry import Telemetry
from consumers.process import MODELS


@dataclass(frozen=True)
class ServiceStanding:
    """Implements the Standing of `bots.http.backend`."""

    telemetry: Telemetry
    has_index: Callable[[], bool]
    loaded: threading.Event = field(default_factory=threading.Event)

    def unready(self) -> Sequence[str]:
        failing = self.telemetry.is_waiting(MODELS)
        if not self.loaded.is_set() and not failing:
            return ["the models are being loaded"]
        waits = [f"{wait.machine} does not answer" for wait in self.telemetry.waiting()]
        if not self.loaded.is_set():
            return ["the models could not be loaded, which is tried again; the log says why", *waits]
        return waits or ([] if self.has_index() else ["nothing has been ingested yet"])

    def sick(self) -> Sequence[str]:
        return [f"{loop} has made no progress for {STUCK_S:.0f} s" for loop in self.telemetry.stuck(STUCK_S)]
