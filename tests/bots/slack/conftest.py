"""A company in a Slack of its own, with the bot, a worker and a sender in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from servers.kafka import Kafka
from servers.postgres import Postgres
from slack_scene.slack_company import Company, company
from slack_scene.slack_places import USUAL, Place, Servers, servers

from vouch.adapters.ledger import Ledger


@pytest.fixture(scope="module")
def slack_servers(kafka_server: Kafka, postgres_server: Postgres) -> Iterator[Servers]:
    with servers(kafka_server, postgres_server) as shared:
        yield shared


@pytest.fixture(params=USUAL)
def place(request: pytest.FixtureRequest, memory_folder: Path) -> Iterator[Place]:
    """Each transport with files for ledger and log; `EVERYWHERE`, or the variable, adds both with Kafka and PostgreSQL.
    """
    mode, _, elsewhere = request.param.partition(", ")
    if elsewhere:
        with request.getfixturevalue("slack_servers").place(memory_folder, mode) as made:
            yield made
    else:
        yield Place(request.getfixturevalue("ledger"), memory_folder, mode, {})


@pytest.fixture
def acme(place: Place) -> Iterator[Company]:
    with company(*place) as made:
        yield made


@pytest.fixture
def over_http(ledger: Ledger, memory_folder: Path) -> Iterator[Company]:
    with company(ledger, memory_folder, "http") as made:
        yield made
