"""The ledger on SQLAlchemy: SQLite in a file, or a server by URL. Stores lie in packages by what they keep."""

from vouch.adapters.ledger.answers.outbox import LedgerSurface, OutboxRow
from vouch.adapters.ledger.answers.sent_answers import EarlierQuestion, SentAnswer
from vouch.adapters.ledger.conversations.changed_questions import ChangedQuestion
from vouch.adapters.ledger.conversations.channels import ChannelRow
from vouch.adapters.ledger.documents.sources import SourceRow
from vouch.adapters.ledger.documents.versions import Hold
from vouch.adapters.ledger.handoffs import Draft, Handoff
from vouch.adapters.ledger.ledger import Ledger, open_ledger
from vouch.adapters.ledger.notices import NewNotice, Notice
from vouch.adapters.ledger.registry.model_rows import Move, Pointer, RegisteredModel
from vouch.adapters.ledger.removal.purges import Purge, Refused
from vouch.adapters.ledger.usage.feedback import Vote

__all__ = [
    "ChangedQuestion",
    "ChannelRow",
    "Draft",
    "EarlierQuestion",
    "Handoff",
    "Hold",
    "Ledger",
    "LedgerSurface",
    "Move",
    "NewNotice",
    "Notice",
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
