"""A ledger on each kind of database that can hold one, for suites that must not see a difference."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from servers.postgres import Postgres

from vouch.adapters.ledger import Ledger, open_ledger


@cache
def _empty() -> bytes:
    """A file of an empty ledger: all migrations take a sixth of a second, and hundreds of tests begin with one."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "ledger.sqlite"
        open_ledger(file).close()
        return file.read_bytes()


def new_ledger(file: Path) -> Ledger:
    """The ledger in the file; a new one as the migrations make it."""
    copy_empty(file)
    return open_ledger(file)


def copy_empty(file: Path) -> None:
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_empty())


@dataclass
class LedgerPlace:
    """Where an empty ledger lies. Whatever was opened is closed with it."""

    url: str
    server: Postgres | None = None
    opened: list[Ledger] = field(default_factory=list)

    def open(self) -> Ledger:
        if self.server is None:
            copy_empty(Path(self.url.removeprefix("sqlite:///")))
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
