"""Lets others see how a running process is: a file in the home, and a loopback port if one is set."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from consumers.monitoring.status import StatusProbe
from consumers.monitoring.telemetry import Telemetry
from vouch.adapters.observability.health_server import Monitor
from vouch.adapters.observability.process_registry import Presence

STUCK_S = 300.0                         # a loop that has not turned for so long makes the process sick
Shown = Callable[[], Any]
"""A context in which the process is seen."""


@contextmanager
def shown(
    home: Path, role: str, port: int, vitals: Telemetry, standing: StatusProbe, does: Sequence[str] = ()
) -> Iterator[None]:
    """`does` is told to others, who then leave that to it. Raises Usage for a port that cannot be had."""
    since = time.time()
    presence = Presence(home, role, lambda: {"since": since, "does": list(does), **condition(vitals)})
    monitor = _monitor(port, vitals, standing) if port else None
    presence.begin()
    if monitor is not None:
        monitor.begin()
    try:
        yield
    finally:
        if monitor is not None:
            monitor.end()
        presence.end()


def _monitor(port: int, vitals: Telemetry, standing: StatusProbe) -> Monitor:
    from consumers.monitoring.metrics import ProcessMetrics  # who is not asked for metrics needs no library of theirs

    vitals.tally = metrics = ProcessMetrics(vitals, standing.look)
    return Monitor(
        port,
        metrics=metrics.page,
        sick=lambda: [f"{loop} has not turned for {STUCK_S:.0f} s" for loop in vitals.stuck(STUCK_S)],
        unready=lambda: [f"{wait.machine}: {wait.cause}" for wait in vitals.waiting()],
    )


def condition(vitals: Telemetry) -> dict[str, Any]:
    """What a process waits for and what of it is stuck, as JSON."""
    return {
        "waiting": [
            {"machine": wait.machine, "cause": wait.cause, "since": wait.since, "until": wait.until,
             "waiters": wait.waiters}
            for wait in vitals.waiting()
        ],
        "stuck": vitals.stuck(STUCK_S),
    }  # fmt: skip
