"""What operators do at a terminal is noted beside what they do on the pages."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from cli.wiring.account import account_name
from consumers.process import now
from services.operating.operators import NotedActs
from vouch.adapters.ledger import Ledger

Noted = Callable[[str], AbstractContextManager[None]]


def noted_at_terminal(ledger: Ledger) -> Noted:
    """In what it returns an act of this account of the machine is noted before it is done, and what became of it."""
    return partial(NotedActs(ledger, now), f"terminal:{account_name()}")
