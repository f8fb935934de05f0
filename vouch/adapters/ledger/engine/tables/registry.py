"""Tables of labels, of the models that are learned from them, and of which of these serve."""

from sqlalchemy import JSON, Boolean, Column, Float, ForeignKey, Integer, String, Table, Text

from vouch.adapters.ledger.engine.database import UtcDateTime
from vouch.adapters.ledger.engine.tables.base import metadata

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
    Column("back", Boolean, nullable=False),
)  # fmt: skip
