"""The access epoch: a number raised by whatever changes who may read what."""

from sqlalchemy import Connection, select, update

from vouch.adapters.ledger.engine.schema import pointers


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
    return int(connection.execute(select(pointers.c.access_epoch)).scalar_one())
