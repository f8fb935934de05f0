"""Tables of who may read what: rules, people and groups, and limits from earlier."""

from sqlalchemy import JSON, Boolean, Column, Integer, String, Table, Text

from vouch.adapters.ledger.engine.database import UtcDateTime
from vouch.adapters.ledger.engine.tables.base import metadata

rulebooks = Table(
    "rulebooks", metadata,
    Column("source", String(200), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("book", JSON, nullable=False),
    Column("scanned", Boolean, nullable=False),        # as a whole, under rules that could be understood
    Column("earlier", JSON, nullable=False),           # other rules in force since that scan began, until which epoch
    Column("owners", JSON),             # who looks after which documents; null: nobody is named
)  # fmt: skip

former_rules = Table(
    "former_rules", metadata,
    Column("digest", String(64), primary_key=True),
    Column("books", JSON, nullable=False),             # source → books that all had to allow; null: nobody could read
)  # fmt: skip

# Who may read what is served as it once was, although it moved, was narrowed or went since.
restrictions = Table(
    "restrictions", metadata,
    Column("source", String(200), primary_key=True),
    Column("path", Text, primary_key=True),
    Column("limits", JSON, nullable=False),
)  # fmt: skip

directory = Table(
    "directory", metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("body", JSON, nullable=False),
)  # fmt: skip

# Marks of sessions that were ended, and of sign-ins that were used, until they would have ended by themselves.
ended = Table(
    "ended", metadata,
    Column("mark", String(64), primary_key=True),      # SHA-256
    Column("until", UtcDateTime, nullable=False, index=True),
)  # fmt: skip
