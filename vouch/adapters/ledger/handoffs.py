"""Answers that somebody wanted a human for, and answers of people that may become documents."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, insert, select, true, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import drafts, handoffs
from vouch.adapters.ledger.notices import put_notice
from vouch.documents.text.legible import legible
from vouch.errors import Guarded, NotFound, Usage

OPEN, TAKEN, RESOLVED = "open", "taken", "resolved"
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Handoff:
    """Who and when, by the names that votes have. `words` are those of the human's answer, if there are any.

    `sent_to`: the accounts that the question of one person alone was sent to; None before, and for others.
    """

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
    sent_to: tuple[str, ...] | None = None


class Handoffs:
    def __init__(self, database: Database) -> None:
        self._database = database

    def open(
        self, answer_id: str, conversation: str, thread: str, by: str, at: datetime, per_hour: int, *,
        alone: bool = False,
    ) -> tuple[Handoff, bool]:  # fmt: skip
        """The hand-over of the answer or, while one is not resolved in the thread, that one; and whether it is new.

        What one person asked `alone` is no talk of several: there each answer has its own.
        With a new one its notice waits to be posted. Raises Guarded if `by` has opened `per_hour` within the hour.
        """
        with self._database.write("handoffs") as connection:
            known = _at(connection, answer_id) or (None if alone else _under_way(connection, thread))
            if known is not None:
                return known, False
            recent = (handoffs.c.opened_by == by) & (handoffs.c.opened_at > at - HOUR)
            if connection.execute(select(func.count()).where(recent)).scalar_one() >= per_hour:
                raise Guarded(f"you have asked for a human {per_hour} times within an hour", cure="ask again later")
            handoff = Handoff(answer_id, conversation, thread, OPEN, by, at)
            connection.execute(insert(handoffs).values(
                answer_id=answer_id, conversation=conversation, thread=thread, state=OPEN, opened_by=by, opened_at=at,
            ))  # fmt: skip
            put_notice(connection, f"opened.{answer_id}", "opened", {"answer_id": answer_id}, at)
        return handoff, True

    def send_to(self, answer_id: str, accounts: Sequence[str]) -> tuple[str, ...]:
        """Keeps whom the question goes to; those who were kept first."""
        with self._database.write("handoffs") as connection:
            known = _known(connection, answer_id).sent_to
            if known is None and accounts:
                _change(connection, answer_id, sent_to=list(accounts))
        return tuple(accounts) if known is None else known

    def take(self, answer_id: str, by: str, name: str, at: datetime) -> bool:
        """Whether it is theirs from now on: nobody else had taken or resolved it before."""
        with self._database.write("handoffs") as connection:
            if _known(connection, answer_id).state != OPEN:
                return False
            _change(connection, answer_id, state=TAKEN, taken_by=by, taken_at=at)
            put_notice(connection, f"taken.{answer_id}", "taken", {"answer_id": answer_id, "name": name}, at)
        return True

    def has_part(self, thread: str, person: str, since: datetime) -> bool:
        """Whether the person wants a human there, or is the one who took it: asked for since then, and not resolved."""
        part = (handoffs.c.opened_by == person) | (handoffs.c.taken_by == person)
        with self._database.read() as connection:
            return _under_way(connection, thread, part & (handoffs.c.opened_at > since)) is not None

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


def _under_way(connection: Connection, thread: str, of: ColumnElement[bool] | None = None) -> Handoff | None:
    here = (handoffs.c.thread == thread) & (handoffs.c.state != RESOLVED) & (true() if of is None else of)
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
    values = dict(row._mapping)
    return Handoff(**values | {"sent_to": None if row.sent_to is None else tuple(row.sent_to)})


WAITING, APPROVED, REFUSED, EXPIRED = "waiting", "approved", "refused", "expired"


@dataclass(frozen=True, slots=True)
class Draft:
    """`access`: who read along when it was written; each of them may read it, and nobody else."""

    id: str
    answer_id: str
    conversation: str
    documents: tuple[str, ...]
    question: str
    text: str
    access: tuple[str, ...]
    state: str
    by: str
    made_at: datetime
    expires_at: datetime
    decided_by: str | None = None
    decided_at: datetime | None = None

    @property
    def path(self) -> str:
        """In the source of such documents: a folder for those who may read it, and a file."""
        readers = hashlib.sha256("\n".join(sorted(self.access)).encode()).hexdigest()[:16]
        return f"{readers}/{self.id}.md"


class Drafts:
    def __init__(self, database: Database) -> None:
        self._database = database

    def resolve(
        self, answer_id: str, by: str, name: str, words: str | None, draft: Draft | None, at: datetime
    ) -> bool:
        """The hand-over is resolved, the draft is there, and both are announced; False if it was resolved before."""
        with self._database.write("handoffs") as connection:
            if not resolve_handoff(connection, answer_id, by, name, words, at):
                return False
            if draft is not None:
                connection.execute(insert(drafts).values(_values(draft)))
                put_notice(connection, f"draft.{draft.id}", "draft", {"draft": draft.id}, at)
        return True

    def decide(self, id_: str, state: str, by: str, at: datetime) -> Draft:
        """The draft as it is from now on. A document may still be refused, and is none any more.

        Raises Usage if it was decided otherwise or has expired, NotFound.
        """
        with self._database.write(f"draft/{id_}") as connection:
            draft = _known_draft(connection, id_)
            if draft.state == state:
                return draft
            if draft.state not in ((WAITING,) if state == APPROVED else (WAITING, APPROVED)):
                raise Usage(f"the draft is {draft.state} already", cure="see: vouch drafts list")
            if draft.expires_at <= at:
                raise Usage("the draft has expired", cure="ask the question again")
            mine = drafts.c.id == draft.id
            connection.execute(update(drafts).where(mine).values(state=state, decided_by=by, decided_at=at))
            return _known_draft(connection, draft.id)

    def get(self, id_: str) -> Draft:
        """The draft with this id, or the only one whose id begins so. Raises NotFound, Usage."""
        with self._database.read() as connection:
            return _known_draft(connection, id_)

    def list(self, states: Sequence[str] = ()) -> list[Draft]:
        """The oldest first."""
        query = select(drafts).order_by(drafts.c.made_at, drafts.c.id)
        if states:
            query = query.where(drafts.c.state.in_(states))
        with self._database.read() as connection:
            return [_draft(row) for row in connection.execute(query)]

    def expire(self, now: datetime) -> int:
        """Drafts and documents past their day are expired; how many these are."""
        due = drafts.c.state.in_((WAITING, APPROVED)) & (drafts.c.expires_at <= now)
        with self._database.read() as connection:
            if connection.execute(select(drafts.c.id).where(due).limit(1)).first() is None:
                return 0
        with self._database.write() as connection:
            return connection.execute(update(drafts).where(due).values(state=EXPIRED)).rowcount


def draft_id(answer_id: str) -> str:
    """The same for an answer each time, and no way back to it."""
    return hashlib.sha256(b"draft:" + answer_id.encode()).hexdigest()[:24]


def _known_draft(connection: Connection, id_: str) -> Draft:
    whole = drafts.c.id == id_
    named = drafts.c.id.startswith(id_, autoescape=True) if 6 <= len(id_) < 24 else whole
    rows = connection.execute(select(drafts).where(named).limit(2)).all()
    if not rows:
        raise NotFound(f"there is no draft {id_[:64]!r}", cure="see: vouch drafts list")
    if len(rows) > 1:
        raise Usage(f"several drafts begin with {id_}", cure="give more of the id")
    return _draft(rows[0])


def _values(draft: Draft) -> dict[str, Any]:
    return {column.name: _plain(getattr(draft, column.name)) for column in drafts.c}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _draft(row: Any) -> Draft:
    """One of an earlier release may hold signs that nobody sees, which would become part of a document."""
    values = dict(row._mapping)
    return Draft(**values | {
        "access": tuple(values["access"]), "documents": tuple(values["documents"]),
        "question": legible(values["question"]), "text": legible(values["text"])})
