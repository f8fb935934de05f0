"""The page that Prometheus reads: what this process counted, how things stand, and drift as gauges."""

from collections.abc import Callable, Iterable, Iterator

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from consumers.monitoring.status import StatusSnapshot
from consumers.monitoring.telemetry import Telemetry
from vouch.learning.drift.drift_look import Drift, Standing
from vouch.learning.drift.stability import Share


class DriftCollector(Collector):
    """Nothing while nothing is known."""

    def __init__(self, look: Callable[[], Drift | None]) -> None:
        self._look = look

    def collect(self) -> Iterator[GaugeMetricFamily]:
        drift = self._look()
        if drift is None:
            return
        psi = GaugeMetricFamily("vouch_drift_psi", "Population stability index against the reference.", labels=("of",))
        noise = GaugeMetricFamily("vouch_drift_noise", "What chance alone may give of that index.", labels=("of",))
        for name, column in drift.columns.items():
            psi.add_metric([name], column.psi)
            noise.add_metric([name], column.noise)
        declined = _family("vouch_declined_share", "Share of declined questions, with the ends of its interval.")
        up = _family("vouch_up_share", "Share of votes that are up, with the ends of its interval.")
        for name, standing in _standings(drift):
            _add(declined, name, standing.declined)
            _add(up, name, standing.up)
        yield from (psi, noise, declined, up)


def _standings(drift: Drift) -> Iterator[tuple[str, Standing]]:
    yield "recent", drift.recent
    if drift.reference is not None:
        yield "reference", drift.reference


def _family(name: str, text: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, labels=("period", "end"))


def _add(family: GaugeMetricFamily, period: str, share: Share) -> None:
    """Of nothing there is no share."""
    if share.value is None:
        return
    for end, value in (("value", share.value), ("low", share.low), ("high", share.high)):
        family.add_metric([period, end], value)


BUCKETS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class ProcessMetrics:
    """Implements telemetry.Tally. Threads share it."""

    def __init__(
        self, telemetry: Telemetry, look: Callable[[], StatusSnapshot], drift: Callable[[], Drift | None] | None = None
    ) -> None:
        disable_created_metrics()       # type: ignore[no-untyped-call]     # each would be a metric of its own
        self._page = CollectorRegistry()
        self._page.register(StatusCollector(telemetry, look))
        if drift is not None:
            self._page.register(DriftCollector(drift))
        self._counters = {
            "messages": Counter("vouch_messages", "Messages this process is done with.", ["topic", "outcome"],
                                registry=self._page),
            "replies": Counter("vouch_replies", "What became of answers in the outbox.", ["surface", "outcome"],
                               registry=self._page),
        }
        self._times = {
            "handling": Histogram("vouch_handling_seconds", "Time of the attempt that succeeded.", ["topic"],
                                  registry=self._page, buckets=BUCKETS_S),
        }

    def count(self, name: str, **labels: str) -> None:
        self._counters[name].labels(**labels).inc()

    def took(self, name: str, seconds: float, **labels: str) -> None:
        self._times[name].labels(**labels).observe(seconds)

    def page(self) -> tuple[str, str]:
        """Its content type, and its text."""
        return CONTENT_TYPE_PLAIN_0_0_4, generate_latest(self._page).decode()


class StatusCollector(Collector):
    """How the machines are, looked at for each page. What could not be read is left out."""

    def __init__(self, telemetry: Telemetry, look: Callable[[], StatusSnapshot]) -> None:
        self._telemetry = telemetry
        self._look = look

    def collect(self) -> Iterator[GaugeMetricFamily]:
        look = self._look()
        yield _gauge("vouch_up", "1 while the machine answers.", ("machine",), ((m.name, m.up) for m in look.machines))
        yield from self._waits()
        yield from _queues(look)
        yield from _index(look)

    def _waits(self) -> Iterator[GaugeMetricFamily]:
        waits = self._telemetry.waiting()
        yield _gauge("vouch_waiters", "Messages and loops of this process that wait for a machine.", ("machine",),
                     ((wait.machine, wait.waiters) for wait in waits))
        yield _gauge("vouch_waiting_since_seconds", "When the first of them began to wait, in epoch seconds.",
                     ("machine",), ((wait.machine, wait.since) for wait in waits))


def _queues(look: StatusSnapshot) -> Iterator[GaugeMetricFamily]:
    yield _gauge("vouch_lag", "Messages of a partition that its group has not done.", ("topic", "group", "partition"),
                 ((lag.topic, lag.group, str(lag.partition), lag.waiting) for lag in look.lags))
    yield _gauge("vouch_dead_messages", "Messages on the dead topics.", ("topic",), (look.dead or {}).items())
    yield _gauge("vouch_outbox", "Answers in the outbox, by state.", ("state",), (look.outbox or {}).items())
    yield _gauge("vouch_outbox_oldest_seconds", "Age of the oldest answer that waits for its surface.", ("surface",),
                 ((surface, age) for surface, (_, age) in (look.unsent or {}).items()))


def _index(look: StatusSnapshot) -> Iterator[GaugeMetricFamily]:
    if look.version is not None:
        yield _gauge("vouch_index_version", "The current version of the index.", (), [(look.version,)])
        yield _gauge("vouch_index_age_seconds", "Time since the current version was begun.", (),
                     [(look.version_age_s or 0.0,)])
    if look.held is not None:
        yield _gauge("vouch_held", "1 while a rollback holds ingestion.", (), [(bool(look.held),)])
    if look.quarantined is not None:
        yield _gauge("vouch_quarantined", "Documents of the current version that could not be read.", (),
                     [(look.quarantined,)])


def _gauge(name: str, text: str, labels: tuple[str, ...], rows: Iterable[tuple[str | float, ...]]) -> GaugeMetricFamily:
    """`rows`: the values of the labels, and then the number."""
    family = GaugeMetricFamily(name, text, labels=labels)
    for *values, number in rows:
        family.add_metric([str(value) for value in values], float(number))
    return family
