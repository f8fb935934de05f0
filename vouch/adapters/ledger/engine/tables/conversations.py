"""Tables of what people chose and changed, and of what Slack told."""

from sqlalchemy import JSON, Column, String, Table, Text

from vouch.adapters.ledger.engine.database import UtcDateTime
from vouch.adapters.ledger.engine.tables.base import metadata

# Who lets document owners see their questions as examples. A person who never chose has no row, and does not.
example_choices = Table(
    "example_choices", metadata,
    Column("person", String(300), primary_key=True),
    Column("allowed_since", UtcDateTime),              # questions from then on are allowed; null: they are not
    Column("denied_at", UtcDateTime),   # no question from before is allowed any more; null: never denied
)  # fmt: skip

# Messages that were changed or deleted, as questions: what those that wait say now, and which words count no more.
changed_questions = Table(
    "changed_questions", metadata,
    Column("question_id", String(200), primary_key=True),
    Column("text", Text),               # null: not that of its answer, nor of any; empty: that of its answer
    Column("filters", JSON, nullable=False),    # and steps, where it says how many
    Column("at", UtcDateTime, nullable=False),
    Column("kept_at", UtcDateTime, nullable=False, index=True),
)  # fmt: skip

# How vouch behaves in a channel of Slack; no row: as it does everywhere.
slack_channels = Table(
    "slack_channels", metadata,
    Column("channel", String(50), primary_key=True),   # its id
    Column("settings", JSON, nullable=False),
    Column("changed_by", String(300), nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
)  # fmt: skip

# Ids of events that Slack told of, and signatures of what has no id, for as long as either may come again.
slack_events = Table(
    "slack_events", metadata,
    Column("event_id", String(100), primary_key=True),
    Column("taken_at", UtcDateTime, nullable=False, index=True),
)  # fmt: skip

# Conversations, accounts, and user groups of which Slack told that they changed, each with a stamp of its last change.
slack_changes = Table(
    "slack_changes", metadata,
    Column("subject", String(60), primary_key=True),
    Column("stamp", String(32), nullable=False),
    Column("at", UtcDateTime, nullable=False, index=True),
)  # fmt: skip
