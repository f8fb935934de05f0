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
from prometheus_client.parser import text_string_to_metric_families

from consumers.monitoring.exposition import STUCK_S, shown
from consumers.monitoring.metrics import BUCKETS_S, ProcessMetrics
from consumers.monitoring.status import Lag, Machine, StatusProbe, StatusSnapshot
from consumers.monitoring.telemetry import STALE_S, Telemetry
from consumers.questions.handler import QuestionHandler
from consumers.worker.worker import Worker
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.observability.health import HealthServer
from vouch.adapters.observability.processes import FOLDER, ProcessEntry, running
from vouch.errors import IndexDown, LedgerDown, LogDown, ModelDown, Usage


class Ticks:
    now = 1_795_000_000.0

    def __call__(self) -> float:
        return self.now


def samples(text: str) -> dict[tuple[str, str], float]:
    """Every line of the page as Prometheus's own library reads it: names and labels → value."""
    found: dict[tuple[str, str], float] = {}
    names = set[str]()
    for family in text_string_to_metric_families(text):
        assert family.type in ("gauge", "counter", "histogram") and family.documentation and family.name not in names
        names.add(family.name)
        for sample in family.samples:
            assert sample.name.removesuffix("_total").startswith(family.name)
            key = sample.name, ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            assert key not in found, key
            found[key] = sample.value
    assert text.endswith("\n") and sum(1 for line in text.splitlines() if not line.startswith("#")) == len(found)
    return found


def page(telemetry: Telemetry, look: StatusSnapshot) -> str:
    return ProcessMetrics(telemetry, lambda: look).page()[1]


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
    telemetry = Telemetry(ticks)
    telemetry.waits("questions/0/1", ModelDown("no reply"), 5)
    ticks.now += 10
    telemetry.waits("questions/0/2", ModelDown("refused"), 5)
    telemetry.waits("replies", LedgerDown("gone"), 5)
    telemetry.waits("replies to slack", LogDown("x"), 5, machine="surface slack")
    found = {wait.machine: (wait.since, wait.waiters, wait.cause) for wait in telemetry.waiting()}
    assert found == {
        "model": (ticks.now - 10, 2, "refused"), "ledger": (ticks.now, 1, "gone"), "surface slack": (ticks.now, 1, "x"),
    }
    ticks.now += 10
    telemetry.waits("questions/0/1", ModelDown("no reply"), 5)         # again: it has waited all the time
    telemetry.goes_on("questions/0/2")
    assert [(w.since, w.waiters) for w in telemetry.waiting() if w.machine == "model"] == [(ticks.now - 20, 1)]
    for waiter in ("questions/0/1", "replies", "replies to slack", "never heard of"):
        telemetry.goes_on(waiter)
    assert telemetry.waiting() == []


def test_who_does_not_say_any_more_that_it_waits_does_not_wait() -> None:
    """Its answer was brought by another process, say."""
    ticks = Ticks()
    telemetry = Telemetry(ticks)
    telemetry.waits("replies to slack", ModelDown("x"), 30)
    ticks.now += 30 + STALE_S - 1
    assert len(telemetry.waiting()) == 1
    ticks.now += 1
    assert telemetry.waiting() == []


def test_the_words_of_errors_that_are_not_ours_are_not_told() -> None:
    telemetry = Telemetry()
    telemetry.waits("x", ValueError("the question was: who earns what?"), 5)
    assert telemetry.waiting()[0].cause == "ValueError"


def test_a_loop_that_does_not_turn_is_stuck_until_it_ends() -> None:
    ticks = Ticks()
    telemetry = Telemetry(ticks)
    telemetry.beat("replies")
    telemetry.beat("vouch")
    ticks.now += 10
    telemetry.beat("vouch")
    assert telemetry.stuck(5) == ["replies"]
    telemetry.ended("replies")
    assert telemetry.stuck(5) == []


def test_the_page_holds_what_was_counted(ledger: Ledger, log: EmbeddedLog, question: Any, send: Any) -> None:
    telemetry = Telemetry()
    metrics = telemetry.tally = ProcessMetrics(telemetry, standing(ledger, log).look)
    for outcome in ("done", "done", "dead"):
        telemetry.count("messages", topic="questions", outcome=outcome)
    telemetry.count("replies", surface="slack", outcome="sent")
    for seconds in (0.01, 0.3, 999.0):
        telemetry.took("handling", seconds, topic="questions")
    telemetry.waits("x", IndexDown('says "no"\nand more\\'), 5, machine='surface "a"\n\\')
    send(question("q1"))
    ledger.answers.record(question("q2"), {"id": "a2"}, [], [], datetime.now(UTC) - timedelta(minutes=5))
    found = samples(metrics.page()[1])
    assert found["vouch_messages_total", "outcome=done,topic=questions"] == 2
    assert found["vouch_messages_total", "outcome=dead,topic=questions"] == 1
    assert found["vouch_replies_total", "outcome=sent,surface=slack"] == 1
    assert found["vouch_handling_seconds_count", "topic=questions"] == 3
    assert found["vouch_handling_seconds_sum", "topic=questions"] == pytest.approx(999.31)
    buckets = [found["vouch_handling_seconds_bucket", f"le={float(b)},topic=questions"] for b in BUCKETS_S]
    assert buckets == sorted(buckets) and (buckets[0], buckets[-1]) == (1, 2)
    assert found["vouch_handling_seconds_bucket", "le=+Inf,topic=questions"] == 3
    assert found["vouch_waiters", 'machine=surface "a"\n\\'] == 1
    assert sum(v for (name, labels), v in found.items() if name == "vouch_lag" and "group=g" in labels) == 1
    assert found["vouch_outbox", "state=pending"] == 1
    assert 299 < found["vouch_outbox_oldest_seconds", "surface=terminal"] < 310
    assert found["vouch_dead_messages", "topic=questions"] == 0
    assert found["vouch_up", "machine=ledger"] == found["vouch_up", "machine=log"] == 1


def test_the_page_has_the_metrics_of_the_docs_and_no_others() -> None:
    """Each of them, and no time of creation that the library would add."""
    telemetry, told = Telemetry(), (Path(__file__).parents[3] / "docs" / "operations.md").read_text()
    look = StatusSnapshot((Machine("ledger", True, "fine"),), 3, 1.5, (Lag("questions", "g", 0, 1),), {"pending": 1},
                          {"terminal": (1, 2.0)}, frozenset(), {"questions": 0}, "", 0)
    metrics = telemetry.tally = ProcessMetrics(telemetry, lambda: look)
    telemetry.waits("x", IndexDown("no index"), 5)
    telemetry.count("messages", topic="questions", outcome="done")
    telemetry.count("replies", surface="slack", outcome="sent")
    telemetry.took("handling", 0.3, topic="questions")
    names = {name for name, _ in samples(metrics.page()[1])}
    of_times = {f"vouch_handling_seconds_{part}" for part in ("bucket", "sum", "count")}
    assert of_times < names
    table = told[told.index("| metric |"):told.index("A value that cannot be read")]
    assert names - of_times | {"vouch_handling_seconds"} == set(re.findall(r"`(vouch_[a-z_]+)", table))


@pytest.mark.slow
def test_the_library_is_loaded_by_processes_that_serve_metrics_alone(memory_folder: Path) -> None:
    code = """
import sys
from pathlib import Path
from consumers.monitoring.exposition import shown
from consumers.monitoring.status import StatusSnapshot
from consumers.monitoring.telemetry import Telemetry
import consumers.wiring.processes, services.wiring.answering, services.wiring.models, cli.main

class Look:
    def look(self):
        return StatusSnapshot(())

telemetry = Telemetry()
with shown(Path(sys.argv[1]), "worker", int(sys.argv[2]), telemetry, Look()):
    telemetry.count("messages", topic="questions", outcome="done")
    telemetry.took("handling", 0.1, topic="questions")
    print("prometheus_client" in sys.modules)
"""
    free = HealthServer(0, lambda: ("", ""), list, list)
    port = free.port
    free.end()
    for asked, loaded in (("0", "False"), (str(port), "True")):
        done = subprocess.run([sys.executable, "-c", code, memory_folder, asked], capture_output=True, text=True,
                              check=True, cwd=Path(__file__).parents[3])
        assert done.stdout.strip() == loaded


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
    assert found["vouch_up", "machine=ledger"] == 0
    assert not [name for name, _ in found if "outbox" in name or "dead" in name or "version" in name]


def test_a_port_of_the_loopback_answers_and_is_free_afterwards(memory_folder: Path) -> None:
    ticks = Ticks()
    telemetry, look = Telemetry(ticks), StatusSnapshot((Machine("ledger", True, "fine"),))

    class Fixed:
        def look(self) -> StatusSnapshot:
            return look

    free = HealthServer(0, lambda: ("", ""), list, list)
    port = free.port
    free.end()
    with shown(memory_folder, "worker", port, telemetry, Fixed()):     # type: ignore[arg-type]
        telemetry.beat("vouch")
        assert get(port, "/healthz") == get(port, "/readyz") == (200, '{"well": true, "wrong": []}')
        assert 'vouch_up{machine="ledger"} 1.0\n' in get(port, "/metrics")[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as reply:
            assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert telemetry.tally is not None
        telemetry.count("messages", topic="questions", outcome="done")
        assert samples(get(port, "/metrics")[1])["vouch_messages_total", "outcome=done,topic=questions"] == 1
        assert get(port, "/metrics?x=1")[0] == 200
        assert get(port, "/etc/passwd")[0] == get(port, "/")[0] == 404
        telemetry.waits("questions", IndexDown("no index"), 5)
        status, text = get(port, "/readyz")
        assert status == 503 and json.loads(text) == {"well": False, "wrong": ["index: no index"]}
        assert get(port, "/healthz")[0] == 200                      # waiting is no sickness
        ticks.now += STUCK_S + 1
        assert get(port, "/healthz")[0] == 503
        with pytest.raises(Usage, match=str(port)) as raised, shown(memory_folder, "w", port, telemetry, Fixed()):  # type: ignore[arg-type]
            pass
        assert "VOUCH_MONITOR__PORT" in raised.value.cure
    with pytest.raises(OSError):
        get(port, "/healthz")


def test_a_page_that_fails_is_told_without_its_words() -> None:
    def fails() -> tuple[str, str]:
        raise ValueError("the question was: who earns what?")

    monitor = HealthServer(0, fails, list, list)
    monitor.begin()
    try:
        assert get(monitor.port, "/metrics") == (500, '{"error": "ValueError"}')
        assert get(monitor.port, "/healthz")[0] == 200
    finally:
        monitor.end()


def test_running_processes_are_found_and_those_that_were_killed_are_not(memory_folder: Path) -> None:
    state = {"waiting": []}
    presence = ProcessEntry(memory_folder, "worker", lambda: state)
    presence.begin()
    code = """
import sys, time
from pathlib import Path
from vouch.adapters.observability.processes import ProcessEntry
ProcessEntry(Path(sys.argv[1]), "watch", dict).begin()
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
    presence = ProcessEntry(memory_folder, "worker", lambda: {"words": "x" * (1 + time.time_ns() % 9000)})
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
    presence, looks, read = ProcessEntry(memory_folder, "worker", lambda: {"words": "x" * 6000}), [], os.pread

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
    telemetry, stop, seen = Telemetry(), threading.Event(), list[str]()
    metrics = telemetry.tally = ProcessMetrics(telemetry, lambda: StatusSnapshot(()))
    away = 20

    def answer(asked: Any) -> Any:
        nonlocal away
        if away:
            away -= 1
            seen.extend(wait.machine for wait in telemetry.waiting())
            raise ModelDown("no reply")
        return loop.answer(asked)

    send(question())
    handler = QuestionHandler(answer, loop.decline, ledger, clock)
    worker = Worker(log, "g", {"questions": handler}, ledger.attempts, clock, stop, backoff=fast, telemetry=telemetry)
    worker.run(drain=True)
    assert set(seen) == {"model"} and len(seen) == 19
    assert telemetry.waiting() == [] and telemetry.stuck(0) == []
    found = samples(metrics.page()[1])
    assert found["vouch_messages_total", "outcome=done,topic=questions"] == 1
    assert found["vouch_handling_seconds_count", "topic=questions"] == 1
    assert list(log.read("questions.dead")) == []
