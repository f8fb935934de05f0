"""The rules that were in force when a version ceased to be the current one: what its texts were granted by."""

import json
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from vouch.adapters.ledger.engine.schema import former_rules, rulebooks, sources, versions

Books = dict[str, list[dict[str, Any]] | None]


def note_rules(connection: Connection, number: int | None) -> None:
    """To be called in the transaction that moves the pointer away from the version `number`."""
    if number is None:
        return
    books = _in_force(connection)
    digest = sha256(json.dumps(books, sort_keys=True).encode()).hexdigest()
    if connection.execute(select(former_rules.c.digest).where(former_rules.c.digest == digest)).first() is None:
        connection.execute(insert(former_rules).values(digest=digest, books=books))
    connection.execute(update(versions).where(versions.c.number == number).values(rules=digest))


def rules_noted(connection: Connection, number: int) -> Books | None:
    """Per source the books that must all allow, None if nobody could read it; None if nothing was noted."""
    of = select(versions.c.rules).where(versions.c.number == number).scalar_subquery()
    books = connection.execute(select(former_rules.c.books).where(former_rules.c.digest == of)).scalar_one_or_none()
    return None if books is None else dict(books)


def forget_unused(connection: Connection) -> None:
    """Only versions that are kept are ever compared."""
    used = select(versions.c.rules).where(versions.c.state == "published", versions.c.rules.is_not(None))
    connection.execute(delete(former_rules).where(former_rules.c.digest.not_in(used)))


def _in_force(connection: Connection) -> Books:
    """Of each source; rules that could not be understood say nothing about its texts, if there were others before."""
    rows = {row.source: row for row in connection.execute(select(rulebooks))}
    found: Books = dict.fromkeys(sorted(connection.execute(select(sources.c.name)).scalars()))
    for name in found:
        row = rows.get(name)
        if row is not None and row.scanned:
            books = [*([] if row.book["broken"] else [row.book]), *(book for book, _ in row.earlier)]
            found[name] = books or None
    return found
