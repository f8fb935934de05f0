"""Answers that somebody wanted a human for: one hand-over an answer, and one at a time in a thread."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.notices import put_notice
from vouch.adapters.ledger.engine.schema import handoffs
from vouch.errors import Guarded, NotFound

OPEN, TAKEN, RESOLVED = "open", "taken", "resolved"
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Handoff:
    """Who and when, by the names that votes have. `words` are those of the human's answer, if there are any."""

    answer_id: str
    conversation: str
    thread: str
    state: str
    opened_by: str
    opened_at: datetime
    taken_by: str | None = None
    taken_at: datetime | None = None
    resolved_by: str | None = None
    resolved_at: datetime | None = None
    words: str | None = None


class Handoffs:
    def __init__(self, database: Database) -> None:
        self._database = database

    def open(
        self, answer_id: str, conversation: str, thread: str, by: str, at: datetime, per_hour: int
    ) -> tuple[Handoff, bool]:
        """The hand-over of the answer or, while one is not resolved in the thread, that one; and whether it is new.

        With a new one its notice waits to be posted. Raises Guarded if `by` has opened `per_hour` within the hour.
        """
        with self._database.write("handoffs") as connection:
            known = _at(connection, answer_id) or _under_way(connection, thread)
            if known is not None:
                return known, False
            recent = (handoffs.c.opened_by == by) & (handoffs.c.opened_at > at - HOUR)
            if connection.execute(select(func.count()).where(recent)).scalar_one() >= per_hour:
                raise Guarded(f"you have asked for a human {per_hour} times within an hour", cure="ask again later")
            made = Handoff(answer_id, conversation, thread, OPEN, by, at)
            connection.execute(insert(handoffs).values(
                answer_id=answer_id, conversation=conversation, thread=thread, state=OPEN, opened_by=by, opened_at=at,
            ))  # fmt: skip
            put_notice(connection, f"opened.{answer_id}", "opened", {"answer_id": answer_id}, at)
        return made, True

    def take(self, answer_id: str, by: str, name: str, at: datetime) -> bool:
        """Whether it is theirs from now on: nobody else had taken or resolved it before."""
        with self._database.write("handoffs") as connection:
            if _known(connection, answer_id).state != OPEN:
                return False
            _change(connection, answer_id, state=TAKEN, taken_by=by, taken_at=at)
            put_notice(connection, f"taken.{answer_id}", "taken", {"answer_id": answer_id, "name": name}, at)
        return True

    def under_way(self, thread: str) -> bool:
        """Whether a human was asked there and has not resolved it yet."""
        with self._database.read() as connection:
            return _under_way(connection, thread) is not None

    def get(self, answer_id: str) -> Handoff:
        """Raises NotFound."""
        with self._database.read() as connection:
            return _known(connection, answer_id)

    def list(self, state: str | None = None) -> list[Handoff]:
        """The oldest first."""
        query = select(handoffs).order_by(handoffs.c.opened_at, handoffs.c.answer_id)
        if state is not None:
            query = query.where(handoffs.c.state == state)
        with self._database.read() as connection:
            return [_handoff(row) for row in connection.execute(query)]


def resolve_handoff(
    connection: Connection, answer_id: str, by: str, name: str, words: str | None, at: datetime
) -> bool:
    """Within a transaction of the turn `handoffs`. False if it was resolved before. Raises NotFound."""
    if _known(connection, answer_id).state == RESOLVED:
        return False
    _change(connection, answer_id, state=RESOLVED, resolved_by=by, resolved_at=at, words=words)
    put_notice(connection, f"resolved.{answer_id}", "resolved", {"answer_id": answer_id, "name": name}, at)
    return True


def _under_way(connection: Connection, thread: str) -> Handoff | None:
    here = (handoffs.c.thread == thread) & (handoffs.c.state != RESOLVED)
    row = connection.execute(select(handoffs).where(here).order_by(handoffs.c.opened_at).limit(1)).first()
    return None if row is None else _handoff(row)


def _at(connection: Connection, answer_id: str) -> Handoff | None:
    row = connection.execute(select(handoffs).where(handoffs.c.answer_id == answer_id)).first()
    return None if row is None else _handoff(row)


def _known(connection: Connection, answer_id: str) -> Handoff:
    found = _at(connection, answer_id)
    if found is None:
        raise NotFound("nobody has asked for a human there, or the answer is no longer kept")
    return found


def _change(connection: Connection, answer_id: str, **values: Any) -> None:
    connection.execute(update(handoffs).where(handoffs.c.answer_id == answer_id).values(**values))


def _handoff(row: Any) -> Handoff:
    return Handoff(**row._mapping)
