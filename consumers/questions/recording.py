"""An answer that is recorded only if nothing was purged since it was begun; else it is made anew."""

from collections.abc import Callable
from typing import TypeVar

from vouch.adapters.ledger import Ledger
from vouch.errors import Busy, Overtaken

T = TypeVar("T")
_TRIES = 3


def made_and_recorded(ledger: Ledger, make: Callable[[], T], record: Callable[[T, int], object]) -> None:
    """`record` gets what `make` made, and how many purges had looked for answers before that.

    Raises Busy if documents are purged again and again.
    """
    for _ in range(_TRIES):
        began = ledger.answers.erasures()
        made = make()
        try:
            record(made, began)
            return
        except Overtaken:
            continue
    raise Busy("documents are being purged all the time", cure="it is tried again")
