"""The access epoch, and rules and limits of documents that are served as they once were."""

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from vouch.access import NOBODY, Limits, Stand
from vouch.adapters.ledger.engine.schema import former_rules, pointers, restrictions, rulebooks, sources, versions

_EPOCH = select(pointers.c.access_epoch)        # made once: every look at the index asks for it


def raise_epoch(connection: Connection) -> None:
    """To be called in the transaction that changes who may read what."""
    connection.execute(update(pointers).values(access_epoch=pointers.c.access_epoch + 1))


def lock_pointers(connection: Connection) -> int | None:
    """The current version, which nobody else moves before this transaction ends.

    To be called before any other row is written by whoever writes `pointers`,
    its epoch too, besides other tables: in one order nobody waits for one who waits.
    """
    number: int | None = connection.execute(select(pointers.c.version).with_for_update()).scalar_one()
    return number


def read_epoch(connection: Connection) -> int:
    return int(connection.execute(_EPOCH).scalar_one())


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


Place = tuple[str, str]                 # source, path


def restrict(connection: Connection, limits: Mapping[Place, Limits] | None) -> None:
    """From the end of the transaction on these limits are in force, and no others; None: no limits at all.

    A place that is limited already stays so: what limited it may be swept by now.
    """
    before = {} if limits is None else limits_in_force(connection)
    changed = connection.execute(delete(restrictions)).rowcount
    rows = []
    for place in sorted({*before, *(limits or {})}):
        every = tuple(dict.fromkeys((*before.get(place, ()), *(limits or {}).get(place, ()))))
        rows.append({"source": place[0], "path": place[1], "limits": _stored(every)})
    if rows:
        connection.execute(insert(restrictions), rows)
    if changed or rows:
        raise_epoch(connection)


def limits_in_force(connection: Connection) -> dict[Place, Limits]:
    return {(row.source, row.path): _limits(row.limits) for row in connection.execute(select(restrictions))}


def content_ages(connection: Connection, number: int | None) -> dict[str, int]:
    """As `VersionRow.content_of`."""
    of = connection.execute(select(versions.c.content_of).where(versions.c.number == number)).scalar_one_or_none()
    return dict(of or {})


def content_is_new(connection: Connection, source: str) -> bool:
    """The documents of `source` in the current version are those of today. Whether anything limited them."""
    current = connection.execute(select(pointers.c.version)).scalar_one()
    ages = content_ages(connection, current)
    if "" in ages:
        row = update(versions).where(versions.c.number == current)
        connection.execute(row.values(content_of={**ages, source: current}))
    return bool(connection.execute(delete(restrictions).where(restrictions.c.source == source)).rowcount)


def forget_places(connection: Connection, places: Collection[Place]) -> None:
    """No limit names one of `places` any more; what could be read only as it could there is for nobody."""
    changed = False
    for place, limits in limits_in_force(connection).items():
        here = (restrictions.c.source == place[0]) & (restrictions.c.path == place[1])
        remaining = tuple(tuple(stand for stand in group if (place[0], stand.path) not in places) for group in limits)
        if place in places:
            connection.execute(delete(restrictions).where(here))
        elif remaining != limits:
            connection.execute(update(restrictions).where(here).values(limits=_stored(remaining)))
        changed |= place in places or remaining != limits
    if changed:
        raise_epoch(connection)


def _stored(limits: Limits) -> list[Any]:
    if () in limits:
        limits = NOBODY
    return [
        [[one.path, None if one.narrowed is None else sorted(one.narrowed)] for one in group] for group in limits
    ]


def _limits(stored: list[Any]) -> Limits:
    return tuple(
        tuple(Stand(path, None if narrowed is None else frozenset(narrowed)) for path, narrowed in group)
        for group in stored
    )
