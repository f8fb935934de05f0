"""Tables of questions and their answers, from the inbox to what people thought of them."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from vouch.adapters.ledger.engine.database import UtcDateTime
from vouch.adapters.ledger.engine.tables.base import metadata

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

attempts = Table(
    "attempts", metadata,
    Column("grp", String(200), primary_key=True),
    Column("topic", String(200), primary_key=True),
    Column("part", Integer, primary_key=True, autoincrement=False),
    Column("off", BigInteger, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Column("first_at", UtcDateTime, nullable=False),
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

# The further steps that were taken for an answer. Ids and numbers, no words of a question or a document.
answer_steps = Table(
    "answer_steps", metadata,
    Column("id", Integer, primary_key=True),
    Column("answer_id", String(200), ForeignKey("answers.answer_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("number", Integer, nullable=False),         # from 1
    Column("tool", String(20), nullable=False),
    Column("planner", String(200), nullable=False),    # which one ordered it
    Column("args", JSON, nullable=False),              # a query as a hash, and the chunks that words of it are from
    Column("ms", Float, nullable=False),
    Column("error", String(100), nullable=False),      # a label; empty: none
    Column("found", JSON, nullable=False),             # [chunk id, probability], best first
    Column("stopped", String(20), nullable=False),     # of the last step, why there were no more
)  # fmt: skip

outbox = Table(
    "outbox", metadata,
    Column("question_id", String(200), primary_key=True),
    Column("surface", String(200), nullable=False),
    Column("question", JSON, nullable=False),          # the whole message, should it be answered anew
    Column("thread", String(200)),                     # of that message, to find what came before a question
    Column("asked_at", UtcDateTime, nullable=False),   # of that message: a thread is answered in this order
    Column("given", JSON, nullable=False),             # ids of the chunks the writer was given
    Column("state", String(20), nullable=False),       # pending, sending, posting, sent, failed
    Column("claim", String(40)),                       # who sends it, until `due_at`
    Column("due_at", UtcDateTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("rechecks", Integer, nullable=False),
    Column("doubt", Integer, nullable=False),          # 1: a post may have happened; 2: it has
    Column("note", Text),
    Column("sent_at", UtcDateTime),
    Index(None, "state", "due_at"),
    Index(None, "thread", "state"),
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

# What `feedback` is made from: a person's latest vote by each means that was not taken back. Without any words.
votes_given = Table(
    "votes_given", metadata,
    Column("answer_id", String(200), ForeignKey("answers.answer_id", ondelete="CASCADE"), primary_key=True),
    Column("person", String(300), primary_key=True),
    Column("reaction", String(60), primary_key=True),   # its name; empty: a button, a form, or a command
    Column("vote", String(10), nullable=False),
    Column("category", String(40)),
    Column("at", UtcDateTime, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
)  # fmt: skip
