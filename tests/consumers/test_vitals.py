"""What a process says of itself is true, and can be read by Prometheus and by whoever restarts processes."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from consumers.monitoring.exposition import STUCK_S, shown
from consumers.monitoring.metrics import page
from consumers.monitoring.status import Machine, StatusProbe, StatusSnapshot
from consumers.monitoring.telemetry import BUCKETS_S, STALE_S, Telemetry
from consumers.questions.handler import QuestionHandler
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.observability.health_server import Monitor
from vouch.adapters.observability.process_registry import FOLDER, Presence, running
from vouch.errors import IndexDown, LedgerDown, LogDown, ModelDown, Usage

SAMPLE = re.compile(r'^(vouch_\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? ([-+]?[\d.e+-]+)$')


class Ticks:
    now = 1_795_000_000.0

    def __call__(self) -> float:
        return self.now


def samples(text: str) -> dict[tuple[str, str], float]:
    """Every line of the page by a parser of our own; names and labels → value. Fails on what Prometheus refuses."""
    found: dict[tuple[str, str], float] = {}
    known: set[str] = set()
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            assert name not in known and kind in ("gauge", "counter", "histogram")
            known.add(name)
        elif not line.startswith("# HELP "):
            match = SAMPLE.match(line)
            assert match, line
            base = re.sub(r"_(bucket|sum|count)$", "", match[1]) if match[1] not in known else match[1]
            assert base in known, line
            assert (match[1], match[2] or "") not in found, line
            found[match[1], match[2] or ""] = float(match[3])
    assert text.endswith("\n")
    return found


def standing(ledger: Ledger, log: EmbeddedLog, **probes: Callable[[], str]) -> StatusProbe:
    return StatusProbe(lambda: ledger, lambda: log, {"questions": "g"}, probes, lambda: datetime.now(UTC), ["terminal"])


def get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_waits_are_told_by_machine_since_the_first_waiter_until_the_last_goes_on() -> None:
    ticks = Ticks()
    vitals = Telemetry(ticks)
    vitals.waits("questions/0/1", ModelDown("no reply"), 5)
    ticks.now += 10
    vitals.waits("questions/0/2", ModelDown("refused"), 5)
    vitals.waits("replies", LedgerDown("gone"), 5)
    vitals.waits("replies to slack", LogDown("x"), 5, machine="surface slack")
    found = {wait.machine: (wait.since, wait.waiters, wait.cause) for wait in vitals.waiting()}
    assert found == {
        "model": (ticks.now - 10, 2, "refused"), "ledger": (ticks.now, 1, "gone"), "surface slack": (ticks.now, 1, "x"),
    }
    ticks.now += 10
    vitals.waits("questions/0/1", ModelDown("no reply"), 5)         # again: it has waited all the time
    vitals.goes_on("questions/0/2")
    assert [(w.since, w.waiters) for w in vitals.waiting() if w.machine == "model"] == [(ticks.now - 20, 1)]
    for waiter in ("questions/0/1", "replies", "replies to slack", "never heard of"):
        vitals.goes_on(waiter)
    assert vitals.waiting() == []


def test_who_does_not_say_any_more_that_it_waits_does_not_wait() -> None:
    """Its answer was brought by another process, say."""
    ticks = Ticks()
    vitals = Telemetry(ticks)
    vitals.waits("replies to slack", ModelDown("x"), 30)
    ticks.now += 30 + STALE_S - 1
    assert len(vitals.waiting()) == 1
    ticks.now += 1
    assert vitals.waiting() == []


def test_the_words_of_errors_that_are_not_ours_are_not_told() -> None:
    vitals = Telemetry()
    vitals.waits("x", ValueError("the question was: who earns what?"), 5)
    assert vitals.waiting()[0].cause == "ValueError"


def test_a_loop_that_does_not_turn_is_stuck_until_it_ends() -> None:
    ticks = Ticks()
    vitals = Telemetry(ticks)
    vitals.beat("replies")
    vitals.beat("vouch")
    ticks.now += 10
    vitals.beat("vouch")
    assert vitals.stuck(5) == ["replies"]
    vitals.ended("replies")
    assert vitals.stuck(5) == []


def test_the_page_holds_what_was_counted(ledger: Ledger, log: EmbeddedLog, question: Any, send: Any) -> None:
    vitals = Telemetry()
    for outcome in ("done", "done", "dead"):
        vitals.count("messages", topic="questions", outcome=outcome)
    for seconds in (0.01, 0.3, 999.0):
        vitals.took("handling", seconds, topic="questions")
    vitals.waits("x", IndexDown('says "no"\nand more\\'), 5, machine='surface "a"\n\\')
    send(question("q1"))
    ledger.answers.record(question("q2"), {"id": "a2"}, [], [], datetime.now(UTC) - timedelta(minutes=5))
    found = samples(page(vitals, standing(ledger, log).look()))
    assert found["vouch_messages_total", 'outcome="done",topic="questions"'] == 2
    assert found["vouch_messages_total", 'outcome="dead",topic="questions"'] == 1
    assert found["vouch_handling_seconds_count", 'topic="questions"'] == 3
    assert found["vouch_handling_seconds_sum", 'topic="questions"'] == pytest.approx(999.31)
    buckets = [found["vouch_handling_seconds_bucket", f'topic="questions",le="{b:g}"'] for b in BUCKETS_S]
    assert buckets == sorted(buckets) and (buckets[0], buckets[-1]) == (1, 2)
    assert found["vouch_handling_seconds_bucket", 'topic="questions",le="+Inf"'] == 3
    assert found["vouch_waiters", r'machine="surface \"a\"\n\\"'] == 1
    assert sum(v for (name, labels), v in found.items() if name == "vouch_lag" and 'group="g"' in labels) == 1
    assert found["vouch_outbox", 'state="pending"'] == 1
    assert 299 < found["vouch_outbox_oldest_seconds", 'surface="terminal"'] < 310
    assert found["vouch_dead_messages", 'topic="questions"'] == 0
    assert found["vouch_up", 'machine="ledger"'] == found["vouch_up", 'machine="log"'] == 1


def test_what_cannot_be_read_is_said_to_be_down_and_is_not_zero() -> None:
    def gone() -> Any:
        raise LedgerDown("no ledger", cure="start it")

    look = StatusProbe(gone, gone, {"questions": "g"}, {"index": lambda: "version 3"}, lambda: datetime.now(UTC),
                    ["terminal"]).look()
    assert look.machines == (
        Machine("ledger", False, "no ledger", "start it"), Machine("log", False, "no ledger", "start it"),
        Machine("index", True, "version 3"),
    )
    assert not look.all_up and (look.outbox, look.dead, look.version) == (None, None, None)
    found = samples(page(Telemetry(), look))
    assert found["vouch_up", 'machine="ledger"'] == 0
    assert not [name for name, _ in found if "outbox" in name or "dead" in name or "version" in name]


def test_a_port_of_the_loopback_answers_and_is_free_afterwards(memory_folder: Path) -> None:
    ticks = Ticks()
    vitals, look = Telemetry(ticks), StatusSnapshot((Machine("ledger", True, "fine"),))

    class Fixed:
        def look(self) -> StatusSnapshot:
            return look

    free = Monitor(0, str, list, list)
    port = free.port
    free.end()
    with shown(memory_folder, "worker", port, vitals, Fixed()):     # type: ignore[arg-type]
        vitals.beat("vouch")
        assert get(port, "/healthz") == get(port, "/readyz") == (200, '{"well": true, "wrong": []}')
        assert 'vouch_up{machine="ledger"} 1' in get(port, "/metrics")[1]
        assert get(port, "/metrics?x=1")[0] == 200
        assert get(port, "/etc/passwd")[0] == get(port, "/")[0] == 404
        vitals.waits("questions", IndexDown("no index"), 5)
        status, text = get(port, "/readyz")
        assert status == 503 and json.loads(text) == {"well": False, "wrong": ["index: no index"]}
        assert get(port, "/healthz")[0] == 200                      # waiting is no sickness
        ticks.now += STUCK_S + 1
        assert get(port, "/healthz")[0] == 503
        with pytest.raises(Usage, match=str(port)) as raised, shown(memory_folder, "w", port, vitals, Fixed()):  # type: ignore[arg-type]
            pass
        assert "VOUCH_MONITOR__PORT" in raised.value.cure
    with pytest.raises(OSError):
        get(port, "/healthz")


def test_a_page_that_fails_is_told_without_its_words() -> None:
    def fails() -> str:
        raise ValueError("the question was: who earns what?")

    monitor = Monitor(0, fails, list, list)
    monitor.begin()
    try:
        assert get(monitor.port, "/metrics") == (500, '{"error": "ValueError"}')
        assert get(monitor.port, "/healthz")[0] == 200
    finally:
        monitor.end()


def test_running_processes_are_found_and_those_that_were_killed_are_not(memory_folder: Path) -> None:
    state = {"waiting": []}
    presence = Presence(memory_folder, "worker", lambda: state)
    presence.begin()
    code = """
import sys, time
from pathlib import Path
from vouch.adapters.observability.process_registry import Presence
Presence(Path(sys.argv[1]), "watch", dict).begin()
print("there", flush=True)
time.sleep(60)
"""
    other = subprocess.Popen([sys.executable, "-c", code, memory_folder], stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline() == "there\n"
    found = {one["role"]: one for one in running(memory_folder)}
    assert {role: one["pid"] for role, one in found.items()} == {"worker": os.getpid(), "watch": other.pid}
    assert oct((memory_folder / FOLDER).stat().st_mode)[-3:] == "700"
    other.kill()
    other.communicate()
    assert [one["role"] for one in running(memory_folder)] == ["worker"]
    presence.end()
    assert running(memory_folder) == [] and list((memory_folder / FOLDER).iterdir()) == []
    assert running(memory_folder / "no home") == []


def test_what_a_process_says_is_never_read_half_written(memory_folder: Path) -> None:
    presence = Presence(memory_folder, "worker", lambda: {"words": "x" * (1 + time.time_ns() % 9000)})
    presence.begin()
    presence._thread, keeper = None, presence._thread
    handle = os.open(next((memory_folder / FOLDER).iterdir()), os.O_RDWR)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            presence._write(handle)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert all(len(running(memory_folder)) == 1 for _ in range(300))
    finally:
        stop.set()
        writer.join()
        presence._thread = keeper
        presence.end()
        os.close(handle)


def test_a_page_of_it_from_another_moment_is_seen_and_read_again(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    presence, looks, read = Presence(memory_folder, "worker", lambda: {"words": "x" * 6000}), [], os.pread

    def torn(handle: int, size: int, place: int) -> bytes:
        data = read(handle, size, place)
        looks.append(len(data))
        return data if len(looks) > 2 else data[:4096].replace(b"xxx", b"old") + data[4096:]

    presence.begin()
    monkeypatch.setattr(os, "pread", torn)
    try:
        assert [one["words"] for one in running(memory_folder)] == ["x" * 6000] and len(looks) == 3
    finally:
        presence.end()


def test_a_worker_that_waits_says_so_and_goes_on_by_itself(
    log: EmbeddedLog, ledger: Ledger, question: Any, send: Any, loop: Any, clock: Any, fast: Any
) -> None:
    vitals, stop, seen = Telemetry(), threading.Event(), list[str]()
    away = 20

    def answer(asked: Any) -> Any:
        nonlocal away
        if away:
            away -= 1
            seen.extend(wait.machine for wait in vitals.waiting())
            raise ModelDown("no reply")
        return loop.answer(asked)

    send(question())
    handler = QuestionHandler(answer, loop.decline, ledger, clock)
    Worker(log, "g", {"questions": handler}, ledger.attempts, clock, stop, backoff=fast, vitals=vitals).run(drain=True)
    assert set(seen) == {"model"} and len(seen) == 19
    assert vitals.waiting() == [] and vitals.stuck(0) == []
    assert vitals.counts()["messages", (("outcome", "done"), ("topic", "questions"))] == 1
    assert list(log.read("questions.dead")) == []
