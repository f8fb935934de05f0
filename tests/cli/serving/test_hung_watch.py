"""A watch that hangs makes its process sick, also while the other watch of the same source goes on."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cli.sources.watch import Followed, _follow, _followed, _watch_all
from consumers.monitoring.telemetry import Telemetry
from services.documents.announcing import Announcer
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources import watch
from vouch.adapters.sources.watch import PolledWatch
from vouch.errors import LogDown


class CountingTelemetry(Telemetry):
    """At a clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.ticks = 1000.0
        self.beats: Counter[str] = Counter()
        super().__init__(lambda: self.ticks)

    def beat(self, loop: str) -> None:
        super().beat(loop)
        self.beats[loop] += 1


class Log:
    """Takes messages unless `stop` is given: then it is away, and whoever sends is to stop."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        self.stop = stop

    def send(self, *message: object) -> None:
        if self.stop is not None:
            self.stop.set()
            raise LogDown("the log is away")


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def notices(ledger: Ledger, tmp_path: Path) -> Announcer:
    (tmp_path / "access.yaml").write_text("rules: []\n")
    ledger.sources.add(SourceRow("docs", "folder", str(tmp_path), str(tmp_path / "access.yaml")))
    log: Any = Log()
    return Announcer(ledger, log, lambda: datetime.now(UTC), CountingTelemetry(), nullcontext)


@pytest.fixture
def watches(notices: Announcer, monkeypatch: pytest.MonkeyPatch) -> list[Followed]:
    """Both watches of a watch, the rules' in a hurry."""
    monkeypatch.setattr("composition.sources.PolledWatch", partial(PolledWatch, every_s=0.01))
    return _followed(notices.ledger.sources.list(), notices, True)


def test_a_folder_that_hangs_is_seen_while_the_watch_of_its_rules_turns(
    notices: Announcer, watches: list[Followed], monkeypatch: pytest.MonkeyPatch
) -> None:
    telemetry: Any = notices.telemetry
    mounted, stop = threading.Event(), threading.Event()
    monkeypatch.setattr(watch, "_identity", lambda root: mounted.wait() and None)    # a mount that answers nothing
    process = threading.Thread(target=_watch_all, args=(watches, notices, stop, True))
    process.start()
    try:
        until(lambda: sum(telemetry.beats.values()) > 2 and telemetry.beats["watch of docs"] > 0)
        assert telemetry.stuck(300) == []
        telemetry.ticks += 301
        before = sum(telemetry.beats.values())
        until(lambda: sum(telemetry.beats.values()) > before + 2)
        assert telemetry.stuck(300) == ["watch of docs"]
    finally:
        stop.set()
        mounted.set()
        process.join(20)
    assert not process.is_alive()


def test_one_watch_that_goes_on_does_not_end_the_wait_of_the_other(notices: Announcer, watches: list[Followed]) -> None:
    class Noticed:
        def changes(self, stop: threading.Event, looked: Callable[[], object]) -> Iterator[None]:
            yield None

    documents, rules = (replace(one, watch=Noticed()) for one in watches)
    stop = threading.Event()
    away: Any = Log(stop)
    _follow(documents, replace(notices, producer=away), stop, True)
    assert [wait.machine for wait in notices.telemetry.waiting()] == ["log"]
    _follow(rules, notices, threading.Event(), True)
    assert [wait.machine for wait in notices.telemetry.waiting()] == ["log"], "the documents' message is not on the log"
