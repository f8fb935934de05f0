"""PostgreSQL and Kafka killed while a Prefect deployment ingests what Kafka announced: whole versions, no orphans.

A run lasts for seconds before it touches the ledger, so the moment is drawn from when it holds its source's lock.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from announced import INGESTED_S, Announced, announced
from faults.whole import whole
from ledger_place import on_a_server
from prefect_place import prefect_place, until
from services.kafka import Kafka
from services.postgres import Postgres
from soak_table import Figures

pytestmark = [pytest.mark.model, pytest.mark.soak]
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


def ingesting(scene: Announced) -> bool:
    """Whether a run holds the source's lock, told without touching it."""
    file = scene.prefect.home / f"ingest-{scene.source}.lock"
    return file.exists() and f":{file.stat().st_ino} " in Path("/proc/locks").read_text()


def test_servers_killed_at_random_while_announced_changes_are_ingested(
    scene: Announced, kafka_server: Kafka, postgres_server: Postgres, figures: Figures
) -> None:
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
    ended = Counter(scene.runs())
    figures("PostgreSQL and Kafka killed in turns while Prefect ingests what Kafka announced",
            f"{ROUNDS} kills, {sum(struck.values())} of them in an ingest, {len(scene.written)} documents",
            f"all ingested, {published} versions, whole, no orphans, 0 dead; runs: {dict(ended)}")
