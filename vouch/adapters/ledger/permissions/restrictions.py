"""Limits on documents that are served as they once were, and as of which version they are."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from vouch.access import NOBODY, Limits, Stand
from vouch.adapters.ledger.engine.schema import pointers, restrictions, versions
from vouch.adapters.ledger.permissions.epochs import raise_epoch

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
        kept = tuple(tuple(one for one in group if (place[0], one.path) not in places) for group in limits)
        if place in places:
            connection.execute(delete(restrictions).where(here))
        elif kept != limits:
            connection.execute(update(restrictions).where(here).values(limits=_stored(kept)))
        changed |= place in places or kept != limits
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
