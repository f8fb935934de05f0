"""PostgreSQL and Kafka killed while what Kafka announced is ingested: whole versions, no orphans, nothing dead."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from faults.servers.whole import whole
from homes.ingest_bench import Bench, CountingEncoder
from machines.announced import INGESTED_S, TOPIC, Announced, announced
from machines.kafka_log import fresh_log
from machines.ledger_place import on_a_server
from machines.prefect_place import prefect_place, until
from running.soak_table import Figures
from servers.kafka import Kafka
from servers.postgres import Postgres
from servers.server import Server

from consumers.documents.consumer import DocumentsWorker
from consumers.resilience import Backoff
from flows.runs.runner import DirectRunner
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.errors import LogDown
from vouch.messages import DocumentsChanged, encode, key_of

ROUNDS, DOCUMENTS = 10, 24
INGEST_S = 4.0                          # about as long as one holds its lock
AWAY_S = 9.0                            # half of it is longer than a run tries again by itself


@pytest.fixture
def scene(kafka_server: Kafka, postgres_server: Postgres, tmp_path: Path) -> Iterator[Announced]:
    with (
        on_a_server(postgres_server) as place,
        prefect_place(tmp_path, VOUCH_LEDGER__URL=place.url, VOUCH_INGEST__BATCH_DOCUMENTS="4") as prefect,
        announced(prefect, kafka_server, place.open()) as made,
    ):
        yield made


class Deadly(CountingEncoder):
    """Kills a server when it is first asked to embed: the ingest is under way, and nothing of it is published."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server, self._back = server, threading.Timer(1.0, server.start)

    def passages(self, texts: Sequence[str]) -> Any:
        if not self.texts:
            self._server.stop(kill=True)
            self._back.start()
        return super().passages(texts)

    def wait(self) -> None:
        self._back.join()


def quick_log(server: Kafka) -> KafkaLog:
    return fresh_log(server, timeout_seconds=2.0, session_seconds=3.0)


def committed(log: Any) -> bool:
    """A broker that is busy may not say for a moment."""
    try:
        return bool(log.lag("g", TOPIC) == 0)
    except LogDown:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["kafka", "postgres"])
def test_a_server_killed_while_an_announced_change_is_ingested(
    kafka_server: Kafka, postgres_server: Postgres, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Leave\n\nThirty days.\n")
    stop = threading.Event()
    with on_a_server(postgres_server) as place, closing(quick_log(kafka_server)) as log:
        made = Bench(tmp_path / "home")
        made.ledger.close()
        made.ledger = place.open()
        made.folder("docs", tmp_path / "docs")
        made.encoder = deadly = Deadly(kafka_server if kind == "kafka" else postgres_server)
        with closing(log.producer()) as producer:
            message = DocumentsChanged(source="docs", paths=None, at=datetime.now(UTC))
            producer.send(TOPIC, key_of(message), encode(message))
        worker = DocumentsWorker(
            log, "g", DirectRunner(lambda: made.components), place.open().attempts, lambda: datetime.now(UTC), stop,
            quiet_s=0.0, longest_s=1.0, backoff=Backoff(0.2, 1.0),
        )  # fmt: skip
        thread = threading.Thread(target=worker.run)
        thread.start()
        try:
            until(lambda: deadly.texts, 30, "the kill")
            deadly.wait()
            until(lambda: committed(log), 60, "the commit")
        finally:
            stop.set()
            thread.join()
        assert made.known("docs").keys() == {"a.md"} and whole(made.components.store, made.home)
        assert not list(log.read(f"{TOPIC}.dead"))
        assert deadly.texts, "nothing was killed"


def ingesting(scene: Announced) -> bool:
    """Whether a run holds the source's lock, told without touching it."""
    file = scene.prefect.home / f"ingest-{scene.source}.lock"
    return file.exists() and f":{file.stat().st_ino} " in Path("/proc/locks").read_text()


@pytest.mark.model
@pytest.mark.soak
def test_servers_killed_at_random_while_announced_changes_are_ingested(
    scene: Announced, kafka_server: Kafka, postgres_server: Postgres, figures: Figures
) -> None:
    """A run begins with seconds in which it touches no ledger: the moment is drawn from when it has its lock."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng, struck = random.Random(seed), Counter[str]()
    for number in range(ROUNDS):
        for n in range(DOCUMENTS):
            scene.write(f"{number}-{n}.md", "\n\n".join(f"# Rule {number} {n} {m}\n\nOf matter {m}." for m in range(8)))
        scene.announce()
        until(lambda: ingesting(scene), INGESTED_S, "the run's beginning")
        time.sleep(rng.uniform(0, INGEST_S))
        server = (postgres_server, kafka_server)[number % 2]
        struck[server.name] += ingesting(scene)
        server.stop(kill=True)
        time.sleep(rng.uniform(0, AWAY_S))
        server.start()
        until(scene.committed, INGESTED_S, "the commit")
        assert scene.all_known()
    published = sum(row.state == "published" for row in scene.ledger.versions.rows())
    assert scene.dead() == 0 and whole(scene.store, scene.prefect.home)
    assert min(struck.values()) >= 2, f"{dict(struck)} kills met a run, which proves little"
    ended = scene.runs()
    figures("PostgreSQL and Kafka killed in turns while Prefect ingests what Kafka announced",
            f"{ROUNDS} kills, {sum(struck.values())} of them in an ingest, {len(scene.written)} documents",
            f"all ingested, {published} versions, whole, no orphans, 0 dead; "
            f"{len(ended)} runs, {len(ended) - ended.count('COMPLETED')} of them failed and started again")
