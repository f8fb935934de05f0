"""Whoever asks for metrics never waits for drift, and is told no number that was not found."""

import threading
import time
import urllib.request
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from learning_scene.past_answers import put
from prometheus_client.parser import text_string_to_metric_families
from pydantic import ValidationError
from servers.process import free_port

from composition.learning import open_drift
from consumers.monitoring.metrics import ProcessMetrics
from consumers.monitoring.status import StatusSnapshot
from consumers.monitoring.telemetry import Telemetry
from consumers.monitoring.watches import EVERY_S, DriftWatch
from consumers.wiring.components import open_worker
from vouch.adapters.ledger import Ledger
from vouch.errors import LedgerDown
from vouch.learning.drift.drift_look import Drift, Period, Standing
from vouch.learning.drift.stability import Stability, wilson
from vouch.retrieval.fusion_features import FEATURE_SCHEMA
from vouch.settings import Settings

NOW = datetime(2026, 11, 23, tzinfo=UTC)
STANDING = Standing(Period(NOW, NOW, "now"), wilson(3, 12), wilson(0, 0))


class Ticks:
    now = 5.0

    def __call__(self) -> float:
        return self.now


def drift(psi: float = 0.31) -> Drift:
    return Drift(STANDING, Standing(STANDING.period, wilson(1, 10), wilson(9, 10)),
                 {"bm25_score": Stability(psi, 0.02)})


def test_it_looks_once_in_ten_minutes_and_nobody_waits() -> None:
    ticks, going, looks = Ticks(), threading.Event(), []

    def look(now: datetime) -> Drift:
        looks.append(now)
        going.wait(5)
        return drift(len(looks))

    watch = DriftWatch(look, lambda: NOW, ticks)
    assert watch.latest() is None                           # though the look goes on
    ticks.now += 10 * EVERY_S
    assert watch.latest() is None and len(looks) == 1       # never two at a time
    going.set()
    watch.wait(5)
    ticks.now = 5 + EVERY_S - 1
    assert watch.latest().columns["bm25_score"].psi == 1
    ticks.now += 1
    watch.latest()
    watch.wait(5)
    assert watch.latest().columns["bm25_score"].psi == 2 and len(looks) == 2


def test_a_look_that_failed_leaves_no_old_number() -> None:
    ticks, down = Ticks(), []

    def look(now: datetime) -> Drift:
        if down:
            raise LedgerDown("gone")
        return drift()

    watch = DriftWatch(look, lambda: NOW, ticks)
    watch.latest()
    watch.wait(5)
    assert watch.latest() is not None
    down.append(True)
    ticks.now += EVERY_S
    watch.latest()
    watch.wait(5)
    assert watch.latest() is None


def test_the_page_has_what_was_found() -> None:
    page = ProcessMetrics(Telemetry(), lambda: StatusSnapshot(()), drift).page()[1]
    found = {(sample.name, *sorted(sample.labels.values())): sample.value
             for family in text_string_to_metric_families(page) for sample in family.samples}
    assert found["vouch_drift_psi", "bm25_score"] == 0.31 and found["vouch_drift_noise", "bm25_score"] == 0.02
    assert found["vouch_declined_share", "recent", "value"] == 0.25
    low, high = (found["vouch_declined_share", end, "recent"] for end in ("low", "high"))
    assert 0.08 < low < 0.1 and 0.5 < high < 0.54
    assert ("vouch_up_share", "recent", "value") not in found and found["vouch_up_share", "reference", "value"] == 0.9
    nothing = ProcessMetrics(Telemetry(), lambda: StatusSnapshot(()), lambda: None).page()[1]
    assert "drift" not in nothing and "share" not in nothing


@pytest.mark.slow
@pytest.mark.integration
def test_a_worker_tells_of_its_ledger(memory_folder: Path) -> None:
    settings = Settings.model_validate({"home": memory_folder, "monitor": {"port": free_port()}})
    parts = open_worker(settings, "worker", judges=True)
    for n in range(40):
        for name, at in (("then", datetime.now(UTC) - timedelta(days=30)), ("now", datetime.now(UTC))):
            rows = [{"chunk_id": "c", "cited": False, "evidence": {}, "schema": FEATURE_SCHEMA, "features": {},
                     "dense_score": float(n)}]
            put(parts.ledger, f"{name}{n}", "Words?", "public", at - timedelta(minutes=n), rows=rows)

    def page() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{settings.monitor.port}/metrics", timeout=10) as reply:
            return str(reply.read().decode())

    try:
        with parts.shown([])():
            assert "vouch_up" in page()
            end = time.monotonic() + 20
            while "vouch_drift_psi" not in (found := page()) and time.monotonic() < end:
                time.sleep(0.1)
    finally:
        for one in parts.components:
            one.close()
    assert 'vouch_drift_psi{of="dense_score"} 0.0\n' in found
    assert 'vouch_declined_share{end="value",period="reference"} 1.0\n' in found


@pytest.mark.parametrize(("text", "day"), [("2026-11-02", date(2026, 11, 2)), ("", None)])
def test_the_reference_may_be_a_setting(text: str, day: date | None, ledger: Ledger) -> None:
    settings = Settings.model_validate({"gaps": {"drift_from": text}})
    assert open_drift(settings, ledger).first_day == day
    with pytest.raises(ValidationError):
        Settings.model_validate({"gaps": {"drift_from": "last week"}})
