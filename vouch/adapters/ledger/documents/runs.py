"""Reports of ingests."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import runs


@dataclass(frozen=True, slots=True)
class Run:
    id: int
    at: datetime
    report: Mapping[str, Any]


class Runs:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, report: Mapping[str, Any], at: datetime) -> int:
        """Keeps a report (JSON values) and returns its id."""
        with self._database.write() as connection:
            key = connection.execute(insert(runs).values(at=at, report=dict(report))).inserted_primary_key
        assert key is not None
        return int(key[0])

    def list(self, limit: int | None = 20) -> list[Run]:
        """Newest first; all for None."""
        with self._database.read() as connection:
            return [Run(*row) for row in connection.execute(select(runs).order_by(runs.c.id.desc()).limit(limit))]
