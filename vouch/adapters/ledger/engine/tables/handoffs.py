"""Tables of answers that go on to a human, and of what a surface posts by itself."""

from sqlalchemy import JSON, Column, ForeignKey, Index, Integer, String, Table, Text

from vouch.adapters.ledger.engine.database import UtcDateTime
from vouch.adapters.ledger.engine.tables.base import metadata

# Answers that somebody wanted a human for.
handoffs = Table(
    "handoffs", metadata,
    Column("answer_id", String(200), ForeignKey("answers.answer_id"), primary_key=True),
    Column("conversation", String(200), nullable=False),
    Column("thread", String(200), nullable=False, index=True),
    Column("state", String(20), nullable=False),       # open, taken, resolved
    Column("opened_by", String(300), nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("taken_by", String(300)),
    Column("taken_at", UtcDateTime),
    Column("resolved_by", String(300)),
    Column("resolved_at", UtcDateTime),
    Column("words", Text),              # of the human's answer
    Column("sent_to", JSON),            # accounts, of a question that its asker alone had asked
    Index(None, "opened_by", "opened_at"),
)  # fmt: skip

# Answers of people that may become documents. They outlive the answers that they began with.
drafts = Table(
    "drafts", metadata,
    Column("id", String(64), primary_key=True),
    Column("answer_id", String(200), nullable=False),
    Column("conversation", String(200), nullable=False),
    Column("documents", JSON, nullable=False),         # SOURCE:PATH of what the answer cited, whose owners may decide
    Column("question", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("access", JSON, nullable=False),            # who read along when it was written; any of them may read it
    Column("state", String(20), nullable=False),       # waiting, approved, refused, expired
    Column("by", String(300), nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("decided_by", String(300)),
    Column("decided_at", UtcDateTime),
    Index(None, "state", "expires_at"),
)  # fmt: skip

# Messages that a surface has yet to post by itself, under no question.
notices = Table(
    "notices", metadata,
    Column("id", String(300), primary_key=True),
    Column("kind", String(20), nullable=False),        # as bots/slack/notices has them
    Column("body", JSON, nullable=False),              # what it is about; words only while it waits
    Column("state", String(20), nullable=False),       # waiting, posted, dropped
    Column("tries", Integer, nullable=False),
    Column("due_at", UtcDateTime, nullable=False),     # while one posts it, when another may
    Column("made_at", UtcDateTime, nullable=False),
    Index(None, "state", "due_at"),
)  # fmt: skip
