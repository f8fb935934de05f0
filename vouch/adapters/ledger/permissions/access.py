"""Rules, memberships and the access epoch, which every real change of them raises."""

import threading
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, insert, select, update

from vouch.access import Directory, Permissions, RuleBook
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import directory, pointers, restrictions, rulebooks, sources
from vouch.adapters.ledger.permissions.restrictions import (
    content_ages,
    content_is_new,
    limits_in_force,
    lock_pointers,
    raise_epoch,
    read_epoch,
)
from vouch.adapters.ledger.permissions.stored_forms import (
    book_json,
    book_of,
    directory_json,
    directory_of,
    owners_json,
    owners_of,
    proven_of,
)


class Access:
    """Implements ports.PermissionStore."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: Permissions | None = None
        self._turn = threading.Lock()

    def epoch(self) -> int:
        with self._database.read() as connection:
            return read_epoch(connection)

    def permissions(self) -> Permissions:
        """In force at the moment of the call: one row is read each time, the rest only after a change."""
        with self._database.read() as connection:
            epoch = read_epoch(connection)
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
        """Puts `rules` in force for `source`. True if who may read what can differ from before.

        Other owners alone change nothing for readers: no former rules are kept for their sake.
        """
        body, owners = book_json(rules), owners_json(rules.owners)
        with self._database.write("access") as connection:
            mine = rulebooks.c.source == source
            row = connection.execute(select(rulebooks).where(mine)).first()
            if row is not None and row.book == body:
                if row.digest != digest or row.owners != owners:
                    connection.execute(update(rulebooks).where(mine).values(digest=digest, owners=owners))
                if row.owners != owners:
                    raise_epoch(connection)                 # for whoever keeps what it read last
                return False
            if row is not None:
                raise_epoch(connection)                     # first: nobody else raises it before this is stored
                earlier = _with_former(row, body, read_epoch(connection))
                connection.execute(update(rulebooks).where(mine).values(
                    digest=digest, book=body, earlier=earlier, owners=owners))
            elif _is_there(connection, source):
                connection.execute(insert(rulebooks).values(
                    source=source, digest=digest, book=body, scanned=False, earlier=[], owners=owners))
                raise_epoch(connection)
            else:                                           # it was removed since its file was read
                return False
        return True

    def scan_begins(self, names: Iterable[str]) -> int:
        """To be called before sources are scanned, with what `scan_ended` needs afterwards.

        A source whose rules cannot be understood counts as never scanned: what
        is found now must be found again under rules that can.
        """
        with self._database.read() as connection:
            epoch = read_epoch(connection)
            rows = connection.execute(select(rulebooks).where(rulebooks.c.source.in_(list(names)))).all()
        broken = [row.source for row in rows if row.scanned and row.book["broken"]]
        if broken:
            with self._database.write("access") as connection:
                lock_pointers(connection)
                these = update(rulebooks).where(rulebooks.c.source.in_(broken))
                connection.execute(these.values(scanned=False))
                raise_epoch(connection)
        return epoch

    def past_taken_in(self, names: Collection[str], *, whatever_was_restored: bool) -> None:
        """A state of these sources that is not of today is about to be published: is it over what was restored?

        Then nobody reads them until a whole scan: their history shows again what was revoked in its course, and at
        other places than those that are limited. `whatever_was_restored`: all of them count as restored.
        """
        if not names:
            return
        with self._database.write("access") as connection:
            ages = content_ages(connection, lock_pointers(connection))
            these = [name for name in names if whatever_was_restored or ("" in ages and name not in ages)]
            here = rulebooks.c.source.in_(these) & rulebooks.c.scanned
            if connection.execute(update(rulebooks).where(here).values(scanned=False)).rowcount:
                raise_epoch(connection)

    def scan_ended(self, names: Iterable[str], epoch: int) -> None:
        """What whole scans of sources found, that began at `epoch`, is in the current version.

        From now on rules that were no longer in force then limit no grant, and
        the sources' documents are not limited as those of a rollback are. A
        source whose rules could not be understood then stays unscanned.
        """
        with self._database.read() as connection:
            if not any(_limited(connection, name) for name in names):
                return
        with self._database.write("access") as connection:
            lock_pointers(connection)
            changed = [name for name in names if _unlimit(connection, name, epoch)]
            if changed:
                raise_epoch(connection)

    def set_directory(self, people_and_groups: Directory) -> bool:
        """Replaces the directory. True if it differs from before.

        What was proven of people stays with those whom it lists, and only with them. Of whom it lists no more it is
        remembered when that was: should they come back, nothing counts that was said of them until then.
        """
        with self._database.write("access") as connection:
            lock_pointers(connection)
            row = connection.execute(select(directory.c.body)).first()
            proven = {} if row is None else proven_of(row.body)
            kept_proofs = {name: proof if name in people_and_groups.people else replace(proof, groups=())
                           for name, proof in proven.items()}
            body = directory_json(replace(people_and_groups, proven=kept_proofs))
            if row is None:
                connection.execute(insert(directory).values(id=1, body=body))
            elif row.body == body:
                return False
            else:
                connection.execute(update(directory).values(body=body))
            raise_epoch(connection)
        return True


def _is_there(connection: Connection, source: str) -> bool:
    """Nobody removes the source before this transaction ends."""
    lock_pointers(connection)
    row = select(sources.c.name).where(sources.c.name == source).with_for_update()
    return connection.execute(row).first() is not None


def _with_former(row: Any, new: dict[str, Any], until: int) -> list[Any]:
    """The former rules of a source once `new` ones are in force, each with the epoch at which it was replaced.

    Rules that cannot be understood are left out: they may be a file half
    written, or another machine's that cannot read it. They grant nothing as
    long as they are in force, and are no reason to hide a source afterwards.
    They stay while the source waits for a scan: one that began under them does not count.
    """
    former = [[row.book, until]] if not (row.book["broken"] and row.scanned) else []
    return [*([book, at] for book, at in row.earlier if book not in (row.book, new)), *former]


def _limited(connection: Connection, source: str) -> bool:
    """Whether a scan of the source changes what the ledger knows of it."""
    row = connection.execute(select(rulebooks).where(rulebooks.c.source == source)).first()
    held = connection.execute(select(restrictions.c.path).where(restrictions.c.source == source).limit(1)).first()
    current = connection.execute(select(pointers.c.version)).scalar_one()
    old = "" in content_ages(connection, current)
    return old or held is not None or (row is not None and (not row.scanned or bool(row.earlier)))


def _unlimit(connection: Connection, source: str, epoch: int) -> bool:
    """Whether who may read what can differ from before."""
    freed = content_is_new(connection, source)
    row = connection.execute(select(rulebooks).where(rulebooks.c.source == source)).first()
    if row is None or row.book["broken"]:
        return freed
    earlier = [[book, until] for book, until in row.earlier if until > epoch]
    if any(book["broken"] for book, _ in earlier):          # understood only since the scan began
        return freed
    if row.scanned and earlier == row.earlier:
        return freed
    these = update(rulebooks).where(rulebooks.c.source == source)
    connection.execute(these.values(scanned=True, earlier=earlier))
    return True


def _load(connection: Connection, epoch: int) -> Permissions:
    rows = connection.execute(select(rulebooks)).all()
    body = connection.execute(select(directory.c.body)).scalar_one_or_none()
    named = connection.execute(select(sources.c.name, sources.c.options)).all()
    return Permissions(
        epoch,
        {row.source: replace(book_of(row.book), owners=owners_of(row.owners)) for row in rows},
        directory_of(body) if body is not None else Directory(),
        {row.source: tuple(book_of(book) for book, _ in row.earlier) for row in rows if row.scanned},
        limits_in_force(connection),
        {name: str((options or {}).get("generation", "")) for name, options in named},
    )
