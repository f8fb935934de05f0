"""The ledger's tables. migrations/ brings a database to them; a test compares the two."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from vouch.adapters.ledger.engine.utc_datetime import UtcDateTime

HEAD = "0007"                           # the newest migration; alembic itself is too slow to ask at each start

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

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

former_rules = Table(
    "former_rules", metadata,
    Column("digest", String(64), primary_key=True),
    Column("books", JSON, nullable=False),             # source → books that all had to allow; null: nobody could read
)  # fmt: skip

# One row, id 1: the values that everything else is looked up by.
pointers = Table(
    "pointers", metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, ForeignKey("versions.number")),
    Column("access_epoch", BigInteger, nullable=False),
    Column("erasures", BigInteger, nullable=False),    # how often answers were searched for what is to be forgotten
)  # fmt: skip

rulebooks = Table(
    "rulebooks", metadata,
    Column("source", String(200), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("book", JSON, nullable=False),
    Column("scanned", Boolean, nullable=False),        # as a whole, under rules that could be understood
    Column("earlier", JSON, nullable=False),           # other rules in force since that scan began, until which epoch
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

inbox = Table(
    "inbox", metadata,
    Column("question_id", String(200), primary_key=True),
    Column("done_at", UtcDateTime, nullable=False),
)  # fmt: skip

# Who has asked within the last minutes; older rows are deleted as new ones come.
asked = Table(
    "asked", metadata,
    Column("question_id", String(200), primary_key=True),
    Column("asker", String(300), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index(None, "asker", "at"),
)  # fmt: skip

answers = Table(
    "answers", metadata,
    Column("answer_id", String(200), primary_key=True),
    Column("question_id", String(200), nullable=False),
    Column("body", JSON, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    UniqueConstraint("question_id"),
    Index(None, "made_at", "answer_id"),
)  # fmt: skip

candidates = Table(
    "candidates", metadata,
    Column("id", Integer, primary_key=True),
    Column("answer_id", String(200), ForeignKey("answers.answer_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("chunk_id", String(64), nullable=False, index=True),
    Column("text_hash", String(64)),    # of the passage's text; null: from before it was noted
    Column("lexical_rank", Integer),
    Column("lexical_score", Float),
    Column("dense_rank", Integer),
    Column("dense_score", Float),
    Column("fused_rank", Integer),
    Column("fused_score", Float),
    Column("expansion", String(20)),
    Column("seed", String(64)),
    Column("rerank_rank", Integer),
    Column("rerank_score", Float),
    Column("probability", Float),
    Column("position", Integer),        # in the final order, from 1
    Column("shown", Integer),           # evidence number the writer saw
    Column("cited", Boolean, nullable=False),
    Column("evidence", JSON, nullable=False),          # what the evaluator judged by
    Column("schema", Integer, nullable=False),         # of `features`
    Column("features", JSON, nullable=False),
)  # fmt: skip

outbox = Table(
    "outbox", metadata,
    Column("question_id", String(200), primary_key=True),
    Column("surface", String(200), nullable=False),
    Column("question", JSON, nullable=False),          # the whole message, should it be answered anew
    Column("thread", String(200), index=True),         # of that message, to find what came before a question
    Column("given", JSON, nullable=False),             # ids of the chunks the writer was given
    Column("state", String(20), nullable=False),       # pending, sending, posting, sent, failed
    Column("claim", String(40)),                       # who sends it, until `due_at`
    Column("due_at", UtcDateTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("rechecks", Integer, nullable=False),
    Column("doubt", Integer, nullable=False),          # 1: a post may have happened
    Column("note", Text),
    Column("sent_at", UtcDateTime),
    Index(None, "state", "due_at"),
)  # fmt: skip

# What the surface of the ledger itself shows: the terminal and other programs read it by question.
posted = Table(
    "posted", metadata,
    Column("question_id", String(200), primary_key=True),
    Column("answer_id", String(200), ForeignKey("answers.answer_id"), nullable=False),
    Column("posted_at", UtcDateTime, nullable=False),
)  # fmt: skip

feedback = Table(
    "feedback", metadata,
    Column("answer_id", String(200), ForeignKey("answers.answer_id"), primary_key=True),
    Column("person", String(300), primary_key=True),
    Column("vote", String(10), nullable=False),
    Column("category", String(40)),     # of the reason: wrong, outdated …; null: none was chosen
    Column("reason", Text),
    Column("at", UtcDateTime, nullable=False, index=True),
)  # fmt: skip

attempts = Table(
    "attempts", metadata,
    Column("grp", String(200), primary_key=True),
    Column("topic", String(200), primary_key=True),
    Column("part", Integer, primary_key=True, autoincrement=False),
    Column("off", BigInteger, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Column("first_at", UtcDateTime, nullable=False),
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

# How relevant a passage is to a question, by somebody's judgment or by what people did. Learned fusion learns from it.
labels = Table(
    "labels", metadata,
    Column("key", String(64), primary_key=True),       # a hash of what it is about and who or what it comes from
    Column("question", Text, nullable=False),
    Column("question_key", String(64), nullable=False, index=True),     # equal for a question of an audience
    Column("audience", JSON, nullable=False),          # access tags of the readers
    Column("chunk_id", String(64), nullable=False, index=True),
    Column("text_hash", String(64)),
    Column("version", Integer, nullable=False),        # of the index, when the passage was found
    Column("relevance", Integer, nullable=False),      # 0 … 3
    Column("source", String(20), nullable=False),      # judged, cited, vote, behaviour
    Column("weight", Float, nullable=False),
    Column("person", String(300)),      # who judged or voted; null: nobody did
    Column("answer_id", String(200), index=True),      # null: judged apart from any answer
    Column("position", Integer),        # at which it was shown, from 1
    Column("at", UtcDateTime, nullable=False),
)  # fmt: skip

# Models that were trained or brought here, with what was found out about them.
models = Table(
    "models", metadata,
    Column("name", String(200), primary_key=True),
    Column("kind", String(20), nullable=False),        # fusion, evaluator …
    Column("state", String(20), nullable=False),       # candidate, refused, retired
    Column("body", JSON, nullable=False),              # the model itself, or where it lies and its fingerprint
    Column("report", JSON, nullable=False),
    Column("reason", Text),             # why it was refused or retired
    Column("made_at", UtcDateTime, nullable=False),
)  # fmt: skip

# Which model of a kind serves, and which one only shadows it.
model_pointers = Table(
    "model_pointers", metadata,
    Column("kind", String(20), primary_key=True),
    Column("model", String(200), ForeignKey("models.name")),       # null: what comes with vouch
    Column("shadow", String(200), ForeignKey("models.name")),
    Column("shadow_since", UtcDateTime),
    Column("moves", Integer, nullable=False),          # goes up with each change: what compare-and-swap compares
)  # fmt: skip

model_moves = Table(
    "model_moves", metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("former", String(200)),
    Column("model", String(200)),
    Column("reason", Text, nullable=False),
    Column("by", String(300), nullable=False),
    Column("at", UtcDateTime, nullable=False),
)  # fmt: skip
