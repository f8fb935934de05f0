"""Changes announced on a real Kafka, ingested by a real Prefect deployment: `vouch worker` between the two."""

import base64
import json
import subprocess
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from servers.kafka import Kafka

from composition.log import DOCUMENTS_GROUP
from indexers.publishing.index_store import IndexStore
from machines.kafka_log import DAY_MS
from machines.prefect_place import BIN, PrefectPlace, process, until
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.adapters.message_log.kafka.topics import KafkaTopics
from vouch.errors import LogDown

TOPIC = "documents.changed"
READY_S, INGESTED_S = 90.0, 150.0


@dataclass
class Announced:
    """A source, where its changes are announced, and what became of them."""

    prefect: PrefectPlace
    env: dict[str, str]
    log: KafkaLog
    ledger: Ledger
    docs: Path
    written: list[str] = field(default_factory=list)

    @property
    def source(self) -> str:
        return self.docs.name

    @property
    def store(self) -> IndexStore:
        return IndexStore(self.prefect.home, self.ledger.versions, SnowballAnalyser(), 120.0)

    def write(self, name: str, text: str) -> None:
        (self.docs / name).write_text(text)
        self.written.append(name)

    def announce(self, *names: str) -> None:
        """The log has it afterwards."""
        self.vouch("notify", self.source, *names)

    def known(self) -> set[str]:
        version = self.store.open_current(documents_only=True)
        return set(version.known(self.source)) if version else set()

    def all_known(self) -> bool:
        return self.known() == set(self.written)

    def lag(self) -> int:
        """Messages that are not committed."""
        return self.log.lag(DOCUMENTS_GROUP, TOPIC)

    def committed(self) -> bool:
        """Whether nothing waits; a broker that has just come back may not tell yet."""
        with suppress(LogDown):
            return self.lag() == 0
        return False

    def dead(self) -> int:
        return sum(1 for _ in self.log.read(f"{TOPIC}.dead"))

    def runs(self) -> list[str]:
        """How the deployment's runs for this source ended, or where they are."""
        request = urllib.request.Request(
            f"{self.env['PREFECT_API_URL']}/flow_runs/filter", data=b'{"sort": "START_TIME_DESC"}',
            headers={"Content-Type": "application/json", "Authorization": f"Basic {self._login()}"},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=30) as reply:
            return [run["state_type"] for run in json.load(reply) if run["parameters"].get("names") == [self.source]]

    def _login(self) -> str:
        return base64.b64encode(self.env["PREFECT_API_AUTH_STRING"].encode()).decode()

    def vouch(self, *words: str) -> str:
        return PrefectPlace(self.prefect.folder, self.prefect.home, self.env).run("vouch", *words)


@contextmanager
def announced(prefect: PrefectPlace, kafka: Kafka, ledger: Ledger) -> Iterator[Announced]:
    """A source of its own in the home of `prefect`, whose ledger is `ledger`, and a worker that listens."""
    place = KafkaConnection(kafka.bootstrap, topic_prefix=f"{uuid.uuid4().hex[:8]}-", partitions=2, timeout_seconds=5.0)
    KafkaTopics(place, DAY_MS, DAY_MS).create()
    docs = prefect.folder / f"docs-{place.topic_prefix[:4]}"
    docs.mkdir()
    (prefect.folder / f"{docs.name}.yaml").write_text('rules: [{match: "**", allow: [public]}]\n')
    env = {
        **prefect.env, **kafka.settings(), "VOUCH_LOG__TOPIC_PREFIX": place.topic_prefix, "VOUCH_LOG__PARTITIONS": "2",
        "VOUCH_LOG__TIMEOUT_SECONDS": "5", "VOUCH_INGEST__STARTER": "prefect", "VOUCH_INGEST__QUIET_SECONDS": "0.3",
    }  # fmt: skip
    with closing(KafkaLog(place)) as log:
        made = Announced(prefect, env, log, ledger, docs)
        access = str(prefect.folder / f"{docs.name}.yaml")
        made.vouch("source", "add", docs.name, "--kind", "folder", "--path", str(docs), "--access", access)
        output = prefect.folder / f"{docs.name}.log"
        try:
            with process([str(BIN / "vouch"), "worker"], env, output) as worker:
                until(lambda: "worker ready" in output.read_text() or _ended(worker, output), READY_S, "the start")
                yield made
        finally:
            made.vouch("source", "remove", docs.name)


def _ended(worker: subprocess.Popen[bytes], output: Path) -> bool:
    assert worker.poll() is None, output.read_text()
    return False
