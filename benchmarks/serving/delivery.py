"""Questions through Kafka with nothing to answer: how many a second, and how long from asking to the reply.

The broker is the one of VOUCH_LOG__SERVERS; topics are made for the run and deleted after it. A reply is a post on a
surface that is a file, and its time is taken there. The same load goes through a bare loop over kafka-python, which
reads a message, sends a reply that is acknowledged, and commits. At a fixed rate a reply's time counts from the moment
the question should have been sent, whether it was sent then or later. A ledger on PostgreSQL gets databases of its own
beside the one that VOUCH_LEDGER__URL names, dropped after the run.
"""

import argparse
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import psycopg
from kafka import KafkaAdminClient

from benchmarks.report import Report, p50, p95
from benchmarks.serving.delivery_crew import Scene, bare, now, ours
from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.adapters.message_log.kafka.topics import NAMES, KafkaTopics
from vouch.messages import QuestionAsked, encode, key_of

DAY_MS = 86_400_000


def ask(scene: Scene, count: int, rate: float | None) -> dict[str, float]:
    """When each question should have been sent; as fast as it goes without a `rate`."""
    intended: dict[str, float] = {}
    with closing(KafkaLog(scene.place).producer()) as producer:
        producer.send("feedback", b"", b"")             # connected, before the clock runs
        began = time.time()
        for number in range(count):
            due = began + number / rate if rate else time.time()
            time.sleep(max(0.0, due - time.time()))
            question = QuestionAsked.model_validate({
                "id": f"q{number:06}", "text": "Who?", "surface": "board", "asker": "public",
                "audience": {"tags": ["public"]}, "asked_at": now(),
            })
            producer.send("questions", key_of(question), encode(question))
            intended[question.id] = due
    return intended


@contextmanager
def fresh_ledger(kind: str, folder: Path) -> Iterator[str]:
    """The address of an empty ledger, its tables made."""
    if kind == "sqlite":
        address = f"sqlite:///{folder}/ledger.sqlite"
        open_ledger(address).close()
        yield address
        return
    server, _, _ = os.environ["VOUCH_LEDGER__URL"].rpartition("/")
    name = f"bench_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(os.environ["VOUCH_LEDGER__URL"].replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            open_ledger(f"{server}/{name}").close()
            yield f"{server}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@dataclass(frozen=True)
class Load:
    """Questions for so many workers: `rate` a second, or all at once."""

    servers: str
    workers: int
    count: int
    rate: float | None


def run(work: Callable[[Scene], None], load: Load, ledger: str) -> list[float]:
    """The replies' times in order, since the first one without a `rate`, else since their questions were due."""
    place = KafkaConnection(load.servers, topic_prefix=f"bench-{uuid.uuid4().hex[:8]}-", partitions=8)
    with tempfile.TemporaryDirectory() as name, fresh_ledger(ledger, Path(name)) as address:
        scene = Scene(Path(name), place, address)
        KafkaTopics(place, DAY_MS, DAY_MS).create()
        try:
            intended = answered(work, scene, load)
        finally:
            with closing(KafkaAdminClient(**place.options())) as admin:
                admin.delete_topics([place.topic(name) for name in NAMES])
        posted = scene.posted()
    first = min(posted.values())
    return sorted(at - (first if load.rate is None else intended[name]) for name, at in posted.items())


def answered(work: Callable[[Scene], None], scene: Scene, load: Load) -> dict[str, float]:
    """All have their replies; when each question was due."""
    spawn = multiprocessing.get_context("spawn")
    intended = ask(scene, load.count, None) if load.rate is None else {}
    crew = [spawn.Process(target=work, args=(scene,)) for _ in range(load.workers)]
    try:
        for member in crew:
            member.start()
        if load.rate is not None:
            time.sleep(15)                              # everybody has joined
            intended = ask(scene, load.count, load.rate)
        end = time.monotonic() + 240
        while scene.posted().keys() < intended.keys():
            if time.monotonic() > end:
                raise SystemExit(f"only {len(scene.posted())} of {load.count} replies came")
            time.sleep(0.1)
    finally:
        for member in crew:
            os.kill(member.pid or 0, signal.SIGTERM)
            member.join(40)
    return intended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=20.0, help="questions a second, for the times")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long at that rate")
    parser.add_argument("--ledger", choices=("sqlite", "postgres", "both"), default="both")
    given = parser.parse_args()
    servers = os.environ.get("VOUCH_LOG__SERVERS")
    if not servers:
        raise SystemExit("VOUCH_LOG__SERVERS names no broker; make services starts one")
    ledgers = ("sqlite", "postgres") if given.ledger == "both" else (given.ledger,)
    if "postgres" in ledgers and not os.environ.get("VOUCH_LEDGER__URL", "").startswith("postgresql+psycopg://"):
        raise SystemExit("VOUCH_LEDGER__URL names no PostgreSQL; make services starts one, or choose --ledger sqlite")
    report = Report("Delivery through Kafka")
    report.table(["ledger", "workers", "questions a second", "ratio to the bare loop",
                  f"ask to reply at {given.rate:g}/s, p50", "p95", "ratio of p95"])
    for workers in (1, 4):
        loads = Load(servers, workers, given.questions, None), Load(
            servers, workers, int(given.rate * given.seconds), given.rate)
        least = measured(bare, loads, "sqlite")
        report.line("none: bare loop", workers, *cells(*least))
        for ledger in ledgers:
            report.line(ledger, workers, *cells(*measured(ours, loads, ledger), least))
    report.end()


def measured(work: Callable[[Scene], None], loads: tuple[Load, Load], ledger: str) -> tuple[float, list[float]]:
    """Questions a second when all come at once, and the times at a fixed rate."""
    at_once, at_rate = loads
    return (at_once.count - 1) / run(work, at_once, ledger)[-1], run(work, at_rate, ledger)


def cells(speed: float, times: list[float], to: tuple[float, list[float]] | None = None) -> list[str]:
    ratios = ["", ""] if to is None else [f"{speed / to[0]:.2f}", f"{p95(times) / p95(to[1]):.1f}"]
    return [f"{speed:.0f}", ratios[0], f"{p50(times) * 1000:.0f} ms", f"{p95(times) * 1000:.0f} ms", ratios[1]]


if __name__ == "__main__":
    main()
