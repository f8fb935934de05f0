"""Tables of what runs and what operators do."""

from sqlalchemy import Column, Integer, String, Table, Text

from vouch.adapters.ledger.engine.database import UtcDateTime
from vouch.adapters.ledger.engine.tables.base import metadata

# Runs of flows, from their beginning on: also those that go on, failed or were killed.
flow_runs = Table(
    "flow_runs", metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),        # ingest, rebuild, purge, tidy, train, gaps, digest, guard
    Column("of", Text, nullable=False),                # names of sources
    Column("begun_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False, index=True),
    Column("ended_at", UtcDateTime),
    Column("outcome", String(20)),      # null: none yet; done, failed, cut off
    Column("error", String(100)),       # the class of what it failed with
    Column("cause", Text),
)  # fmt: skip

# What operators did, on the pages of the service or at a terminal: noted before it is done, and its outcome afterwards.
acts = Table(
    "acts", metadata,
    Column("id", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("by", String(300), nullable=False),
    Column("act", Text, nullable=False),
    Column("outcome", Text),            # null: not known, such as after a crash
)  # fmt: skip
