"""Runs of flows: since when, how they ended, and which ended without a word."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import flow_runs

GOING, DONE, FAILED, CUT_OFF = "going on", "done", "failed", "cut off"
SILENT = timedelta(minutes=5)           # a run that goes on is heard of more often
_LONGEST = 500                          # signs of a cause


@dataclass(frozen=True, slots=True)
class FlowRun:
    """`of` are the sources named, if any; `seen_at` is when it was last heard of; `error` a class of vouch.errors."""

    id: int
    kind: str
    of: str
    begun_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    outcome: str | None
    error: str | None
    cause: str | None

    def state(self, now: datetime) -> str:
        """A run that was killed says nothing: it counts as cut off once it has been silent for too long."""
        return self.outcome or (CUT_OFF if now - self.seen_at > SILENT else GOING)

    def seconds(self, now: datetime) -> float:
        """How long it took, or has taken until now."""
        last = self.ended_at or (now if self.state(now) == GOING else self.seen_at)
        return max((last - self.begun_at).total_seconds(), 0.0)


class FlowRuns:
    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, kind: str, of: str, at: datetime) -> int:
        """It goes on from now on; its id. Those that have been silent for too long are noted as cut off."""
        lost = flow_runs.c.outcome.is_(None) & (flow_runs.c.seen_at < at - SILENT)
        with self._database.write() as connection:
            connection.execute(update(flow_runs).where(lost).values(outcome=CUT_OFF, ended_at=flow_runs.c.seen_at))
            row = {"kind": kind, "of": of, "begun_at": at, "seen_at": at}
            key = connection.execute(insert(flow_runs).values(**row)).inserted_primary_key
        assert key is not None
        return int(key[0])

    def seen(self, run: int, at: datetime) -> None:
        """It still goes on, also if it was thought to be cut off, as after a machine slept."""
        mine = (flow_runs.c.id == run) & (flow_runs.c.outcome.is_(None) | (flow_runs.c.outcome == CUT_OFF))
        with self._database.write() as connection:
            connection.execute(update(flow_runs).where(mine).values(seen_at=at, outcome=None, ended_at=None))

    def end(self, run: int, outcome: str, at: datetime, *, error: str | None = None, cause: str | None = None) -> None:
        values = {"outcome": outcome, "ended_at": at, "seen_at": at, "error": error,
                  "cause": cause[:_LONGEST] if cause else None}
        with self._database.write() as connection:
            connection.execute(update(flow_runs).where(flow_runs.c.id == run).values(**values))

    def list(self, limit: int = 50) -> list[FlowRun]:
        """Those without an end first, then the newest of the others."""
        query = select(flow_runs).order_by(flow_runs.c.ended_at.is_not(None), flow_runs.c.id.desc()).limit(limit)
        with self._database.read() as connection:
            return [FlowRun(*row) for row in connection.execute(query)]


def forget_flow_runs(connection: Connection, before: datetime) -> None:
    """Nothing is known any more of those last heard of before then."""
    connection.execute(delete(flow_runs).where(flow_runs.c.seen_at < before))
