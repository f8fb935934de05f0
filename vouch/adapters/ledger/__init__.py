"""The ledger on SQLAlchemy: SQLite in a file, or a server by URL. One file per store."""

from vouch.adapters.ledger.feedback import Vote
from vouch.adapters.ledger.holds import Hold
from vouch.adapters.ledger.ledger import Ledger, open_ledger
from vouch.adapters.ledger.model_rows import Move, Pointer, RegisteredModel
from vouch.adapters.ledger.outbox import OutboxRow
from vouch.adapters.ledger.purges import Purge, Refused
from vouch.adapters.ledger.sent_answers import SentAnswer
from vouch.adapters.ledger.sources import SourceRow
from vouch.adapters.ledger.surface import LedgerSurface
from vouch.adapters.ledger.threads import EarlierQuestion

__all__ = [
    "EarlierQuestion",
    "Hold",
    "Ledger",
    "LedgerSurface",
    "Move",
    "OutboxRow",
    "Pointer",
    "Purge",
    "Refused",
    "RegisteredModel",
    "SentAnswer",
    "SourceRow",
    "Vote",
    "open_ledger",
]
