"""Bot, worker, and sender are killed while people ask in Slack: each question is answered, and once."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.slack_crew import Crew, crew
from machines.kafka_log import fresh_log
from machines.ledger_place import on_a_server
from running.soak_table import Figures
from servers.kafka import Kafka
from servers.postgres import Postgres

pytestmark = pytest.mark.slow
BOTH = pytest.mark.parametrize("mode", ["socket", "http"])


@pytest.fixture
def chance() -> random.Random:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    return random.Random(seed)


@pytest.fixture
def embedded(mode: str, memory_folder: Path, chance: random.Random) -> Iterator[Crew]:
    with crew(memory_folder, mode, chance, VOUCH_LOG__KIND="embedded", VOUCH_LOG__LEASE_SECONDS="1") as made:
        yield made


@pytest.fixture
def on_servers(
    mode: str, memory_folder: Path, chance: random.Random, kafka_server: Kafka, postgres_server: Postgres
) -> Iterator[Crew]:
    place = fresh_log(kafka_server).place
    with on_a_server(postgres_server) as ledger:
        ledger.open()
        with crew(memory_folder, mode, chance, VOUCH_LEDGER__URL=ledger.url, VOUCH_LOG__KIND="kafka",
                  VOUCH_LOG__SERVERS=place.servers, VOUCH_LOG__TOPIC_PREFIX=place.topic_prefix,
                  VOUCH_LOG__SESSION_SECONDS="3") as made:
            yield made


def none(found: dict[str, int]) -> bool:
    return not any(found[name] for name in ("not taken", "lost", "double", "forged"))


@BOTH
def test_each_is_killed_once(embedded: Crew) -> None:
    embedded.kills(3, 2)
    embedded.settle(60)
    assert none(embedded.outcome()) and len(embedded.asked) == 6, embedded.outcome()


@pytest.mark.parametrize("mode", ["http"])
def test_each_is_killed_once_on_kafka_and_postgresql(on_servers: Crew) -> None:
    on_servers.kills(3, 2)
    on_servers.settle(90)
    assert none(on_servers.outcome()) and len(on_servers.asked) == 6, on_servers.outcome()


@pytest.mark.soak
@BOTH
@pytest.mark.parametrize("place", ["embedded", "on_servers"])
def test_sixty_kills(request: pytest.FixtureRequest, place: str, mode: str, figures: Figures) -> None:
    made: Crew = request.getfixturevalue(place)
    made.kills(60, 4)
    made.settle(240)
    found = made.outcome()
    figures(f"bot, worker, and sender of Slack killed in turn, {mode}, "
            + ("Kafka and PostgreSQL" if place == "on_servers" else "embedded log and SQLite"),
            f"{found['asked']} questions, 60 kills, 60 faults of Slack's replies",
            f"{found['lost']} lost, {found['double']} double, {found['forged']} forged")
    assert none(found), found
