"""Answers of people that may become documents: they wait for an owner, and none lasts for ever."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.notices import put_notice
from vouch.adapters.ledger.engine.schema import drafts
from vouch.adapters.ledger.handoffs.handoffs import resolve_handoff
from vouch.errors import NotFound, Usage

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
            draft = _known(connection, id_)
            if draft.state == state:
                return draft
            if draft.state not in ((WAITING,) if state == APPROVED else (WAITING, APPROVED)):
                raise Usage(f"the draft is {draft.state} already", cure="see: vouch drafts list")
            if draft.expires_at <= at:
                raise Usage("the draft has expired", cure="ask the question again")
            mine = drafts.c.id == draft.id
            connection.execute(update(drafts).where(mine).values(state=state, decided_by=by, decided_at=at))
            return _known(connection, draft.id)

    def get(self, id_: str) -> Draft:
        """The draft with this id, or the only one whose id begins so. Raises NotFound, Usage."""
        with self._database.read() as connection:
            return _known(connection, id_)

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


def _known(connection: Connection, id_: str) -> Draft:
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
    values = dict(row._mapping)
    return Draft(**values | {"access": tuple(values["access"]), "documents": tuple(values["documents"])})
