"""A change announced on a real Kafka starts a run of a real Prefect deployment, and is committed only after it."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from homes.ingest_bench import Bench
from machines.announced import INGESTED_S, TOPIC, announced
from machines.kafka_log import fresh_log
from machines.prefect_place import PrefectPlace, until
from servers.kafka import Kafka

from consumers.documents.consumer import DocumentsWorker
from flows.runs.runner import DirectRunner
from vouch.adapters.ledger import open_ledger
from vouch.messages import DocumentsChanged, encode, key_of
from vouch.ports.log import Record


def until_committed(lag: Callable[[], int], published: Callable[[], bool], seconds: float) -> int:
    """How often it was looked at until the commit. Fails if at any moment it was committed and not yet published."""
    looks = 0

    def committed() -> bool:
        nonlocal looks
        looks, left = looks + 1, lag()          # first: what is published only after that is too late
        assert left == 1 or published(), "committed before it was published"
        return left == 0

    until(committed, seconds, "the commit")
    return looks


@pytest.mark.model
@pytest.mark.slow
def test_an_announced_change_runs_the_deployment_and_is_committed_after_it(
    prefect: PrefectPlace, kafka_server: Kafka
) -> None:
    prefect.home.mkdir(exist_ok=True)
    ledger = open_ledger(prefect.home / "ledger.sqlite")
    with closing(ledger), announced(prefect, kafka_server, ledger) as scene:
        scene.write("leave.md", "# Leave\n\nEverybody has thirty days of leave.\n")
        scene.announce("leave.md")
        assert until_committed(scene.lag, scene.all_known, INGESTED_S) > 5
        assert "COMPLETED" in scene.runs() and scene.dead() == 0


class Early(DocumentsWorker):
    """The planted bug: a message is committed when it is read."""

    def _take(self, record: Record) -> None:
        super()._take(record)
        assert self._consumer is not None and self._consumer.commit(record)


class Slow(DirectRunner):
    def ingest(self, source: str, paths: Sequence[str] | None, stopped: Callable[[], bool]) -> None:
        time.sleep(2)
        super().ingest(source, paths, stopped)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [DocumentsWorker, Early])
def test_a_commit_before_the_ingest_is_seen(kafka_server: Kafka, tmp_path: Path, kind: type[DocumentsWorker]) -> None:
    bench, log, stop = Bench(tmp_path / "home"), fresh_log(kafka_server), threading.Event()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Leave\n\nThirty days.\n")
    bench.folder("docs", tmp_path / "docs")
    with closing(log), closing(log.producer()) as producer:
        message = DocumentsChanged(source="docs", paths=None, at=datetime.now(UTC))
        producer.send(TOPIC, key_of(message), encode(message))
        worker = kind(log, "g", Slow(lambda: bench.components), bench.ledger.attempts, lambda: datetime.now(UTC), stop,
                      quiet_s=0.0, longest_s=1.0)
        thread = threading.Thread(target=worker.run)
        thread.start()

        def watch() -> int:
            return until_committed(lambda: log.lag("g", TOPIC), lambda: bool(bench.known("docs")), 30)

        try:
            if kind is Early:
                with pytest.raises(AssertionError, match="committed before"):
                    watch()
            else:
                assert watch() > 5
        finally:
            stop.set()
            thread.join()
