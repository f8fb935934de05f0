"""The ledger on SQLAlchemy: SQLite in a file, or a server by URL. One file per store."""

from vouch.adapters.ledger.feedback import Vote
from vouch.adapters.ledger.ledger import Ledger, open_ledger
from vouch.adapters.ledger.outbox import OutboxRow
from vouch.adapters.ledger.sources import SourceRow
from vouch.adapters.ledger.surface import LedgerSurface

__all__ = [
    "Ledger",
    "LedgerSurface",
    "OutboxRow",
    "SourceRow",
    "Vote",
    "open_ledger",
]
