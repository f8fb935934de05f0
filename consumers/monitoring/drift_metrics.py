"""Drift as gauges. Numbers alone: the names are those of scores and features."""

from collections.abc import Callable, Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

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
        for name, one in drift.columns.items():
            psi.add_metric([name], one.psi)
            noise.add_metric([name], one.noise)
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
