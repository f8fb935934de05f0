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

from vouch.adapters.ledger.engine.database import UtcDateTime

HEAD = "0018"                           # the newest migration; alembic itself is too slow to ask at each start

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
    Column("owners", JSON),             # who looks after which documents; null: nobody is named
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

# Who lets document owners see their questions as examples. A person who never chose has no row, and does not.
example_choices = Table(
    "example_choices", metadata,
    Column("person", String(300), primary_key=True),
    Column("allowed_since", UtcDateTime),              # questions from then on are allowed; null: they are not
    Column("denied_at", UtcDateTime),   # no question from before is allowed any more; null: never denied
)  # fmt: skip

# How vouch behaves in a channel of Slack; no row: as it does everywhere.
slack_channels = Table(
    "slack_channels", metadata,
    Column("channel", String(50), primary_key=True),   # its id
    Column("settings", JSON, nullable=False),
    Column("changed_by", String(300), nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
)  # fmt: skip

# Ids of events that Slack told of, for as long as it may tell them again.
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

# Questions that were changed, or taken back, while they waited to be answered.
changed_questions = Table(
    "changed_questions", metadata,
    Column("question_id", String(200), primary_key=True),
    Column("text", Text),               # null: it was taken back
    Column("filters", JSON, nullable=False),    # and steps, where it says how many
    Column("at", UtcDateTime, nullable=False),
    Column("kept_at", UtcDateTime, nullable=False, index=True),
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

# What operators did on the pages of the service: noted before it is done, and its outcome afterwards.
acts = Table(
    "acts", metadata,
    Column("id", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("by", String(300), nullable=False),
    Column("act", Text, nullable=False),
    Column("outcome", Text),            # null: not known, such as after a crash
)  # fmt: skip

# Marks of sessions that were ended, and of sign-ins that were used, until they would have ended by themselves.
ended = Table(
    "ended", metadata,
    Column("mark", String(64), primary_key=True),      # SHA-256
    Column("until", UtcDateTime, nullable=False, index=True),
)  # fmt: skip

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
    Column("kind", String(20), nullable=False),        # as handoff/posting.py of Slack has them
    Column("body", JSON, nullable=False),              # what it is about; words only in a digest that waits
    Column("state", String(20), nullable=False),       # waiting, posted, dropped
    Column("tries", Integer, nullable=False),
    Column("due_at", UtcDateTime, nullable=False),     # while one posts it, when another may
    Column("made_at", UtcDateTime, nullable=False),
    Index(None, "state", "due_at"),
)  # fmt: skip
