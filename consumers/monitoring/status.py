"""How things stand: what waits where, for how long, and which machines answer. Read anew at each look."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.going_back import put_back
from vouch.errors import VouchError
from vouch.messages import DEAD
from vouch.plurals import count
from vouch.ports.log import Log

DEAD_FRESH = timedelta(seconds=30)
Probe = Callable[[], str]
"""What a machine says of itself. Raises an error of ours where it does not answer."""


@dataclass(frozen=True, slots=True)
class Machine:
    name: str
    up: bool
    found: str
    cure: str = ""


@dataclass(frozen=True, slots=True)
class Lag:
    """Messages of a partition that a group has not done yet."""

    topic: str
    group: str
    partition: int
    waiting: int


@dataclass(frozen=True)
class StatusSnapshot:
    """What could be read; parts whose machine is down are empty, and the machine is said to be down."""

    machines: tuple[Machine, ...]
    version: int | None = None
    version_age_s: float | None = None
    lags: tuple[Lag, ...] = ()
    outbox: Mapping[str, int] | None = None                     # by state
    unsent: Mapping[str, tuple[int, float]] | None = None       # surface → how many, age of the oldest in seconds
    unserved: frozenset[str] = frozenset()                      # of these surfaces, those that nobody serves
    dead: Mapping[str, int] | None = None                       # by topic
    held: str | None = None             # since when and why nothing is ingested; empty: it is not held
    quarantined: int | None = None      # documents of the current version that could not be read
    put_back: tuple[str, ...] = ()      # what the guard of the models did, and nobody has moved since

    @property
    def all_up(self) -> bool:
        return all(machine.up for machine in self.machines)


class StatusProbe:
    def __init__(
        self,
        ledger: Callable[[], Ledger],
        log: Callable[[], Log],
        groups: Mapping[str, str],
        probes: Mapping[str, Probe],
        clock: Callable[[], datetime],
        served: Collection[str],
        quarantined: Callable[[], int] | None = None,
    ) -> None:
        """`groups`: topic → the group that works it off. `probes`: further machines that can be asked.

        `served`: the surfaces that any process serves, as far as the settings tell.
        """
        self._ledger = ledger
        self._log = log
        self._groups = groups
        self._probes = probes
        self._clock = clock
        self._served = frozenset(served)
        self._quarantined = quarantined
        self._dead: tuple[datetime, dict[str, int]] | None = None

    def look(self) -> StatusSnapshot:
        found: dict[str, Any] = {}
        machines = [
            _asked("ledger", lambda: self._of_ledger(found)),
            _asked("log", lambda: self._of_log(found)),
            *(_asked(name, probe) for name, probe in self._probes.items()),
        ]
        if self._quarantined is not None:
            with suppress(VouchError):                          # the index's own line says so
                found["quarantined"] = self._quarantined()
        return StatusSnapshot(tuple(machines), **found)

    def _of_ledger(self, found: dict[str, Any]) -> str:
        ledger, now = self._ledger(), self._clock()
        current = ledger.versions.current()
        rows = {row.number: row for row in ledger.versions.rows()} if current is not None else {}
        found["version"] = current
        if current in rows:
            found["version_age_s"] = (now - rows[current].created_at).total_seconds()
        hold = ledger.holds.current()
        found["held"] = f"ingests are {hold}" if hold else ""
        found["put_back"] = tuple(put_back(ledger.models))
        found["outbox"] = ledger.outbox.counts()
        found["unsent"] = {
            surface: (count, max(0.0, (now - oldest).total_seconds()))
            for surface, (count, oldest) in ledger.outbox.waiting().items()
        }
        found["unserved"] = frozenset(found["unsent"]) - self._served
        return ledger.name

    def _of_log(self, found: dict[str, Any]) -> str:
        log = self._log()
        found["lags"] = tuple(
            Lag(topic, group, partition, waiting)
            for topic, group in self._groups.items()
            for partition, waiting in log.lags(group, topic).items()
        )
        found["dead"] = self._count_dead(log)
        return f"{count(sum(lag.waiting for lag in found['lags']), 'message')} waiting"

    def _count_dead(self, log: Log) -> dict[str, int]:
        """By topic, half a minute old at most: on some logs they have to be read to be counted."""
        now = self._clock()
        if self._dead is None or now - self._dead[0] >= DEAD_FRESH:
            self._dead = now, {topic: sum(1 for _ in log.read(topic + DEAD)) for topic in self._groups}
        return self._dead[1]


def _asked(name: str, probe: Probe) -> Machine:
    try:
        return Machine(name, True, probe())
    except VouchError as error:
        return Machine(name, False, error.cause, error.cure)
