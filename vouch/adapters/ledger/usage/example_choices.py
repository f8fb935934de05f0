"""Who lets document owners see their questions as examples: allowed by nobody who did not choose so."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select, update

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import example_choices


@dataclass(frozen=True, slots=True)
class ExampleChoice:
    """`allowed_since`: the person's questions from then on; None: only those that say so themselves.

    No question from `denied_at` or before is allowed any more, whatever it said.
    """

    allowed_since: datetime | None = None
    denied_at: datetime | None = None

    def covers(self, asked_at: datetime, said_so: bool) -> bool:
        if self.denied_at is not None and asked_at <= self.denied_at:
            return False
        return said_so or (self.allowed_since is not None and asked_at >= self.allowed_since)


class ExampleChoices:
    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[str, ExampleChoice]:
        """By person; who never chose is missing."""
        with self._database.read() as connection:
            return {row.person: ExampleChoice(row.allowed_since, row.denied_at)
                    for row in connection.execute(select(example_choices))}

    def of(self, person: str) -> ExampleChoice:
        return self.all().get(person, ExampleChoice())

    def allow(self, person: str, at: datetime) -> ExampleChoice:
        """Questions of that person from `at` on are allowed, or from earlier on if they are already."""
        return self._put(person, lambda held: ExampleChoice(held.allowed_since or at, held.denied_at))

    def deny(self, person: str, at: datetime) -> ExampleChoice:
        """No question until `at` is allowed, and later ones only if they say so themselves."""
        return self._put(person, lambda held: ExampleChoice(None, max(at, held.denied_at or at)))

    def _put(self, person: str, changed: Callable[[ExampleChoice], ExampleChoice]) -> ExampleChoice:
        mine = example_choices.c.person == person
        with self._database.write(f"example/{person}") as connection:
            row = connection.execute(select(example_choices).where(mine)).first()
            new = changed(ExampleChoice(row.allowed_since, row.denied_at) if row else ExampleChoice())
            values = {"allowed_since": new.allowed_since, "denied_at": new.denied_at}
            if row is None:
                connection.execute(insert(example_choices).values(person=person, **values))
            else:
                connection.execute(update(example_choices).where(mine).values(**values))
        return new
