"""Who lost goes first, and who holds its turn too long, or dies, holds up nobody."""

import os
import threading
import time
from pathlib import Path

import pytest
from running.forked import DIED, ended, fork

from indexers.publishing import optimistic_publish
from indexers.publishing.optimistic_publish import PublishQueue


def test_newcomers_wait_for_who_lost_before(tmp_path: Path) -> None:
    order = []

    def newcomer() -> None:
        PublishQueue(tmp_path).let_pass()
        order.append("newcomer")

    with PublishQueue(tmp_path).first():
        waiting = threading.Thread(target=newcomer)
        waiting.start()
        waiting.join(0.2)
        order.append("who lost")
    waiting.join(5)
    assert order == ["who lost", "newcomer"]


def test_nobody_waits_for_a_turn_that_nobody_has(tmp_path: Path) -> None:
    started = time.monotonic()
    PublishQueue(tmp_path / "no home yet").let_pass()
    with PublishQueue(tmp_path / "no home yet").first(), PublishQueue(tmp_path).first():
        pass
    PublishQueue(tmp_path).let_pass()
    assert time.monotonic() - started < 1


def test_a_process_that_hangs_or_dies_with_its_turn_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready, go = os.pipe(), os.pipe()

    def hang_and_die() -> None:
        with PublishQueue(tmp_path).first():
            os.write(ready[1], b"!")
            os.read(go[0], 1)
            os._exit(DIED)

    child = fork(hang_and_die)
    os.read(ready[0], 1)
    monkeypatch.setattr(optimistic_publish, "_WAIT_S", 0.2)
    started = time.monotonic()
    PublishQueue(tmp_path).let_pass()
    assert 0.2 <= time.monotonic() - started < 5
    os.write(go[1], b"!")
    assert ended(child) == DIED
    monkeypatch.setattr(optimistic_publish, "_WAIT_S", 60.0)
    with PublishQueue(tmp_path).first():
        assert time.monotonic() - started < 10
