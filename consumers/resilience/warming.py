"""Makes a process ready to work, as often as it takes."""

import logging
import threading
from collections.abc import Callable

from consumers.monitoring.telemetry import Telemetry
from consumers.resilience.backoff import Backoff
from consumers.resilience.retry_on_outage import OUTAGE
from vouch.errors import VouchError

MODELS = "models"                       # what waits, in status and metrics
_log = logging.getLogger(__name__)


class Warming:
    """`warm` loads what the work needs; while it fails, the log, the status and /readyz say so. For one thread."""

    def __init__(
        self, warm: Callable[[], object], backoff: Backoff, telemetry: Telemetry, stop: threading.Event
    ) -> None:
        self._warm = warm
        self._backoff = backoff
        self._telemetry = telemetry
        self._stop = stop
        self._in_a_row = 0

    def succeeds(self) -> bool:
        """Tries once, whatever is in the way: people may put back a model, or choose another, meanwhile."""
        try:
            self._warm()
        except VouchError as error:
            self._in_a_row += 1
            machine = "" if isinstance(error, OUTAGE) else "model"
            _log.warning("not ready to answer yet, and tried again soon: %s", error)
            self._telemetry.waits(MODELS, error, self._seconds(), machine)
            return False
        self._telemetry.goes_on(MODELS)
        return True

    def again(self, ready: Callable[[], object]) -> None:
        """After it failed: until it succeeds, and `ready` is called, or the process ends."""
        while not self._stop.wait(self._seconds()):
            if self.succeeds():
                ready()
                return

    def _seconds(self) -> float:
        return self._backoff.seconds(self._in_a_row)
