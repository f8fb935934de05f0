"""Tables of where documents come from, the versions of the index, and what is to be forgotten."""

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Integer, String, Table, Text

from vouch.adapters.ledger.engine.database import UtcDateTime
from vouch.adapters.ledger.engine.tables.base import metadata

sources = Table(
    "sources", metadata,
    Column("name", String(200), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("path", Text, nullable=False),
    Column("access_path", Text),
    Column("options", JSON),            # include, exclude, generation; null: none of them
)  # fmt: skip

stat_cache = Table(
    "stat_cache", metadata,
    Column("source", String(200), primary_key=True),
    Column("path", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("hash", String(64), nullable=False),
)  # fmt: skip

versions = Table(
    "versions", metadata,
    Column("number", Integer, primary_key=True),
    Column("parent", Integer),
    Column("state", String(20), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("content_of", JSON),         # source → the version as of which its documents are; "": all other sources
    Column("rules", String(64)),        # in force when it ceased to be the current one; null: it is, or never was
    sqlite_autoincrement=True,          # a number is never given twice
)  # fmt: skip

# One row, id 1: the values that everything else is looked up by.
pointers = Table(
    "pointers", metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, ForeignKey("versions.number")),
    Column("access_epoch", BigInteger, nullable=False),
    Column("erasures", BigInteger, nullable=False),    # how often answers were searched for what is to be forgotten
)  # fmt: skip

runs = Table(
    "runs", metadata,
    Column("id", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("report", JSON, nullable=False),
)  # fmt: skip

# At most one row, id 1: ingestion waits since a rollback, until somebody releases it.
holds = Table(
    "holds", metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),        # the version the rollback published
    Column("content_of", Integer, nullable=False),     # the version whose content that is
    Column("at", UtcDateTime, nullable=False),
)  # fmt: skip

# Documents to be forgotten, and those that were: neither their places nor their contents come back.
purges = Table(
    "purges", metadata,
    Column("id", Integer, primary_key=True),
    Column("source", String(200), nullable=False),
    Column("path", Text, nullable=False),
    Column("hashes", JSON, nullable=False),            # of every content the document ever had
    Column("state", String(20), nullable=False),       # pending, proven, done
    Column("at", UtcDateTime, nullable=False),
    Column("done_at", UtcDateTime),
)  # fmt: skip
