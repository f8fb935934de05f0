"""How things stand: as JSON values, and whether a process is ready for people."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from consumers.monitoring.exposition import STUCK_S
from consumers.monitoring.status import StatusSnapshot
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


def status_row(look: StatusSnapshot, processes: list[dict[str, Any]]) -> dict[str, Any]:
    """The standing as a JSON row; null stands for what could not be read because a server is down."""
    return {
        "machines": [{"name": m.name, "up": m.up, "found": m.found, "cure": m.cure} for m in look.machines],
        "version": look.version,
        "version_age_seconds": look.version_age_s,
        "held": look.held,
        "put_back": list(look.put_back),
        "quarantined": look.quarantined,
        "lag": None if look.dead is None else lag_by_topic(look),
        "outbox": look.outbox,
        "unsent": None if look.unsent is None else {
            surface: {"answers": waiting, "oldest_seconds": age, "served": surface not in look.unserved}
            for surface, (waiting, age) in look.unsent.items()
        },
        "dead": look.dead,
        "processes": processes,
    }


def lag_by_topic(look: StatusSnapshot) -> dict[str, dict[str, Any]]:
    """Topic → its group, how much waits, and how much of that on each partition."""
    lags: dict[str, dict[str, Any]] = {}
    for lag in look.lags:
        row = lags.setdefault(lag.topic, {"group": lag.group, "waiting": 0, "partitions": {}})
        row["waiting"] += lag.waiting
        row["partitions"][str(lag.partition)] = lag.waiting
    return lags
