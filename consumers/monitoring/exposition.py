"""Lets others see how a running process is: a file in the home, and a loopback port if one is set."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consumers.monitoring.status import StatusProbe
from consumers.monitoring.telemetry import Telemetry
from consumers.monitoring.watches import DriftWatch
from vouch.adapters.observability.health import HealthServer
from vouch.adapters.observability.processes import ProcessEntry

if TYPE_CHECKING:
    from consumers.monitoring.metrics import ProcessMetrics

STUCK_S = 300.0                         # a loop that has made no progress for so long makes the process sick
Shown = Callable[[], Any]
"""A context in which the process is seen."""


@contextmanager
def shown(
    home: Path, role: str, port: int, telemetry: Telemetry, standing: StatusProbe, does: Sequence[str] = (),
    drift: DriftWatch | None = None,
) -> Iterator[None]:
    """`does` is told to others, who then leave that to it. Raises Usage for a port that cannot be had."""
    since = time.time()
    presence = ProcessEntry(home, role, lambda: {"since": since, "does": list(does), **condition(telemetry)})
    monitor = _monitor(port, telemetry, standing, drift) if port else None
    presence.begin()
    if monitor is not None:
        monitor.begin()
    try:
        yield
    finally:
        if monitor is not None:
            monitor.end()
        presence.end()


def _monitor(port: int, telemetry: Telemetry, standing: StatusProbe, drift: DriftWatch | None) -> HealthServer:
    return HealthServer(
        port,
        metrics=counted(telemetry, standing, drift).page,
        sick=lambda: [f"{loop} has made no progress for {STUCK_S:.0f} s" for loop in telemetry.stuck(STUCK_S)],
        unready=lambda: [f"{wait.machine}: {wait.cause}" for wait in telemetry.waiting()],
    )


def counted(telemetry: Telemetry, standing: StatusProbe, drift: DriftWatch | None) -> "ProcessMetrics":
    """What this process counts, from now on if it did not before: one of it, wherever it is shown."""
    from consumers.monitoring.metrics import ProcessMetrics  # who is not asked for metrics needs no library of theirs

    if not isinstance(telemetry.tally, ProcessMetrics):
        telemetry.tally = ProcessMetrics(telemetry, standing.look, None if drift is None else drift.latest)
    return telemetry.tally


def condition(telemetry: Telemetry) -> dict[str, Any]:
    """What a process waits for and what of it is stuck, as JSON."""
    return {
        "waiting": [
            {"machine": wait.machine, "cause": wait.cause, "since": wait.since, "until": wait.until,
             "waiters": wait.waiters}
            for wait in telemetry.waiting()
        ],
        "stuck": telemetry.stuck(STUCK_S),
    }  # fmt: skip
