"""Rules, memberships and the access epoch, which every real change of them raises."""

import threading
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from vouch.access import Directory, Permissions, Person, Rule, RuleBook
from vouch.adapters.ledger.database import Database
from vouch.adapters.ledger.schema import directory, pointers, rulebooks, sources


class Access:
    """Implements ports.PermissionStore."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: Permissions | None = None
        self._turn = threading.Lock()

    def epoch(self) -> int:
        with self._database.read() as connection:
            return _epoch(connection)

    def permissions(self) -> Permissions:
        """In force at the moment of the call: one row is read each time, the rest only after a change."""
        with self._database.read() as connection:
            epoch = _epoch(connection)
            with self._turn:
                if self._known is not None and self._known.epoch == epoch:
                    return self._known
            found = _load(connection, epoch)
        with self._turn:
            self._known = found
        return found

    def digest(self, source: str) -> str | None:
        """Of the access file the rules in force were read from; None when there are no rules."""
        with self._database.read() as connection:
            return connection.execute(
                select(rulebooks.c.digest).where(rulebooks.c.source == source)
            ).scalar_one_or_none()

    def set_rules(self, source: str, rules: RuleBook, digest: str) -> bool:
        """Puts `rules` in force for `source`. True if who may read what can differ from before."""
        body = _book_json(rules)
        with self._database.write("access") as connection:
            mine = rulebooks.c.source == source
            row = connection.execute(select(rulebooks.c.digest, rulebooks.c.book).where(mine)).first()
            if row is not None and row.book == body:
                if row.digest != digest:
                    connection.execute(update(rulebooks).where(mine).values(digest=digest))
                return False
            if row is None:
                connection.execute(insert(rulebooks).values(source=source, digest=digest, book=body))
            else:
                connection.execute(update(rulebooks).where(mine).values(digest=digest, book=body))
            raise_epoch(connection)
        return True

    def set_directory(self, people_and_groups: Directory) -> bool:
        """Replaces the directory. True if it differs from before."""
        body = _directory_json(people_and_groups)
        with self._database.write("access") as connection:
            row = connection.execute(select(directory.c.body)).first()
            if row is None:
                connection.execute(insert(directory).values(id=1, body=body))
            elif row.body == body:
                return False
            else:
                connection.execute(update(directory).values(body=body))
            raise_epoch(connection)
        return True


def raise_epoch(connection: Connection) -> None:
    """To be called in the transaction that changes who may read what."""
    connection.execute(update(pointers).values(access_epoch=pointers.c.access_epoch + 1))


def _epoch(connection: Connection) -> int:
    return int(connection.execute(select(pointers.c.access_epoch)).scalar_one())


def _load(connection: Connection, epoch: int) -> Permissions:
    rows = connection.execute(select(rulebooks.c.source, rulebooks.c.book))
    books = {source: _book(body) for source, body in rows}
    body = connection.execute(select(directory.c.body)).scalar_one_or_none()
    rows = connection.execute(select(sources.c.name, sources.c.options))
    generations = {name: str((options or {}).get("generation", "")) for name, options in rows}
    return Permissions(epoch, books, _directory(body) if body is not None else Directory(), generations)


def _book_json(book: RuleBook) -> dict[str, Any]:
    rules = [{"match": rule.match, "allow": sorted(rule.allow)} for rule in book.rules]
    return {"rules": rules, "broken": book.broken}


def _book(body: dict[str, Any]) -> RuleBook:
    return RuleBook(tuple(Rule(r["match"], frozenset(r["allow"])) for r in body["rules"]), body["broken"])


def _directory_json(found: Directory) -> dict[str, Any]:
    people = {
        name: {"groups": list(person.groups), "until": person.until.isoformat() if person.until else None}
        for name, person in sorted(found.people.items())
    }
    return {"people": people, "groups": {name: list(within) for name, within in sorted(found.groups.items())}}


def _directory(body: dict[str, Any]) -> Directory:
    people = {
        name: Person(tuple(p["groups"]), datetime.fromisoformat(p["until"]) if p["until"] else None)
        for name, p in body["people"].items()
    }
    return Directory(people, {name: tuple(within) for name, within in body["groups"].items()})
