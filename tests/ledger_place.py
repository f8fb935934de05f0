"""A ledger on each kind of database that can hold one, for suites that must not see a difference."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from servers.postgres import Postgres

from vouch.adapters.ledger import Ledger, open_ledger


@dataclass
class LedgerPlace:
    """Where an empty ledger lies. Whatever was opened is closed with it."""

    url: str
    server: Postgres | None = None
    opened: list[Ledger] = field(default_factory=list)

    def open(self) -> Ledger:
        self.opened.append(open_ledger(self.url))
        return self.opened[-1]


@contextmanager
def in_a_file(folder: Path) -> Iterator[LedgerPlace]:
    with tempfile.TemporaryDirectory(dir=folder) as name:
        yield from _closed(LedgerPlace(f"sqlite:///{name}/ledger.sqlite"))


@contextmanager
def on_a_server(server: Postgres) -> Iterator[LedgerPlace]:
    url = server.new_database()
    try:
        yield from _closed(LedgerPlace(url, server))
    finally:
        server.drop_database(url)


def _closed(place: LedgerPlace) -> Iterator[LedgerPlace]:
    try:
        yield place
    finally:
        for ledger in place.opened:
            ledger.close()
