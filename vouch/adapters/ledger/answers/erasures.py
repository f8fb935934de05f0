"""How often answers were searched for what is to be forgotten, so that none of before comes after the search.

A purge raises the count when no version holds the document any more, and only
then looks for answers made from it. An answer says what the count was before
it was begun. It is recorded if that still holds, in one transaction with the
look: then either the search finds it, or it was made from what is left.
"""

from sqlalchemy import Connection, select, update

from vouch.adapters.ledger.engine.schema import pointers
from vouch.errors import Overtaken


def raise_erasures(connection: Connection) -> None:
    """To be committed before the search begins."""
    connection.execute(update(pointers).values(erasures=pointers.c.erasures + 1))


def read_erasures(connection: Connection) -> int:
    return int(connection.execute(select(pointers.c.erasures)).scalar_one())


def refuse_overtaken(connection: Connection, began: int) -> None:
    """Raises Overtaken if a search has begun since; until the transaction ends none does."""
    found = connection.execute(select(pointers.c.erasures).with_for_update(read=True)).scalar_one()
    if found != began:
        raise Overtaken("documents were purged while this was answered", cure="it has to be answered again")
