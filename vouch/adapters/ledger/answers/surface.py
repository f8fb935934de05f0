"""The ledger as a surface: programs on this machine read the answer to their question from it."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, posted
from vouch.errors import Busy
from vouch.ports.surface import AfterDoubt, Delivery


class LedgerSurface:
    """Implements ports.Surface, for the terminal and whoever else waits for an answer by question id."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._posted: list[Callable[[str], None]] = []

    def when_posted(self, tell: Callable[[str], None]) -> None:
        """From now on `tell` is called with the question's id after each post of this process; of others it hears
        nothing."""
        self._posted.append(tell)

    @property
    def after_doubt(self) -> AfterDoubt:
        return "ask"

    def has(self, delivery: Delivery) -> bool:
        return self.read(delivery.question_id) is not None

    def post(self, delivery: Delivery) -> None:
        """May be called again; the first post stays. Raises Conflict when the answer was withdrawn meanwhile.

        Raises Busy if the ledger let nobody write until the look at what its readers may read was old.
        """
        with self._database.write(f"posted/{delivery.question_id}") as connection:
            if delivery.until is not None and time.monotonic() > delivery.until:
                raise Busy("the ledger was busy, and who may read what is looked up again", cure="it is tried again")
            if connection.execute(select(posted).where(posted.c.question_id == delivery.question_id)).first() is None:
                connection.execute(
                    insert(posted).values(
                        question_id=delivery.question_id,
                        answer_id=delivery.answer["id"],
                        posted_at=datetime.now(UTC),
                    )
                )
        for tell in self._posted:
            tell(delivery.question_id)

    def read(self, question_id: str) -> dict[str, Any] | None:
        """The answer's JSON once it was sent; None before."""
        query = select(answers.c.body).join(posted, posted.c.answer_id == answers.c.answer_id)
        with self._database.read() as connection:
            body = connection.execute(query.where(posted.c.question_id == question_id)).scalar_one_or_none()
        return dict(body) if body is not None else None

    def sent_among(self, question_ids: Sequence[str]) -> set[str]:
        """Those of the questions whose answer was sent."""
        query = select(posted.c.question_id).where(posted.c.question_id.in_(question_ids))
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())
