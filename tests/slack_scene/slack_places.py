"""Where a company in Slack has its ledger and its log, and how Slack tells it: every test of a path can run on each.

Those of the main paths run on all four. With VOUCH_SLACK_EVERYWHERE=1, as `make slack-everywhere` sets it,
all others do so as well.
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from machines.kafka_log import fresh_log
from machines.ledger_place import on_a_server
from servers.kafka import Kafka
from servers.postgres import Postgres

from vouch.adapters.ledger import Ledger, open_ledger
from vouch.settings.stores import KafkaLog, SqlLedger

ON_SERVERS = "Kafka and PostgreSQL"
PLACES = ["socket", "http", *(pytest.param(f"{mode}, {ON_SERVERS}", marks=[pytest.mark.services, pytest.mark.slow])
                               for mode in ("socket", "http"))]
USUAL = PLACES if os.environ.get("VOUCH_SLACK_EVERYWHERE") == "1" else PLACES[:2]
EVERYWHERE = pytest.mark.parametrize("place", PLACES, indirect=True)
SIGNED = PLACES[1::2]                  # over HTTP, where requests are signed


class Place(NamedTuple):
    """What a company is opened with; `servers` are the settings of log and ledger where those are not in files."""

    ledger: Ledger
    home: Path
    mode: str
    servers: dict[str, Any]


@dataclass(frozen=True)
class Servers:
    """A database with the tables of a ledger is copied for each test: the migrations take longer than most tests."""

    kafka: Kafka
    postgres: Postgres
    template: str

    @contextmanager
    def place(self, home: Path, mode: str) -> Iterator[Place]:
        """With topics and a database of its own."""
        url = self.postgres.copy_database(self.template)
        try:
            with closing(open_ledger(url)) as ledger, closing(fresh_log(self.kafka, partitions=2)) as log:
                at = KafkaLog(servers=log.place.servers, topic_prefix=log.place.topic_prefix, session_seconds=6.0,
                              partitions=2)
                yield Place(ledger, home, mode, {"ledger": SqlLedger(url=url), "log": at})
        finally:
            self.postgres.drop_database(url)


@contextmanager
def servers(kafka: Kafka, postgres: Postgres) -> Iterator[Servers]:
    with on_a_server(postgres) as template:
        open_ledger(template.url).close()
        yield Servers(kafka, postgres, template.url)
