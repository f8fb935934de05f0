"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_sources_and_access()
    _create_versions()
    _create_answers()
    _create_candidates()
    _create_work()
    _create_delivery()


def downgrade() -> None:
    op.drop_table("posted")
    op.drop_table("pointers")
    op.drop_table("feedback")
    op.drop_index(op.f("ix_candidates_answer_id"), table_name="candidates")
    op.drop_table("candidates")
    op.drop_table("versions")
    op.drop_table("stat_cache")
    op.drop_table("sources")
    op.drop_table("runs")
    op.drop_table("rulebooks")
    op.drop_index(op.f("ix_outbox_state_due_at"), table_name="outbox")
    op.drop_table("outbox")
    op.drop_table("inbox")
    op.drop_table("directory")
    op.drop_table("attempts")
    op.drop_table("answers")


def _create_sources_and_access() -> None:
    """Where documents come from, and who may read them."""
    op.create_table(
        "sources",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("access_path", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_sources")),
    )
    op.create_table(
        "stat_cache",
        sa.Column("source", sa.String(length=200), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("mtime_ns", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("source", "path", name=op.f("pk_stat_cache")),
    )
    op.create_table(
        "rulebooks",
        sa.Column("source", sa.String(length=200), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("book", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("source", name=op.f("pk_rulebooks")),
    )
    op.create_table(
        "directory",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_directory")),
    )


def _create_versions() -> None:
    """The states of the index, which of them counts, and the runs that made them."""
    op.create_table(
        "versions",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_versions")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "pointers",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("access_epoch", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["version"], ["versions.number"], name=op.f("fk_pointers_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pointers")),
    )
    # The one row of values that everything else is looked up by: no version yet, first epoch.
    op.execute("INSERT INTO pointers (id, version, access_epoch) VALUES (1, NULL, 1)")
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )


def _create_answers() -> None:
    """What was answered, and what people thought of it."""
    op.create_table(
        "answers",
        sa.Column("answer_id", sa.String(length=200), nullable=False),
        sa.Column("question_id", sa.String(length=200), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("answer_id", name=op.f("pk_answers")),
        sa.UniqueConstraint("question_id", name=op.f("uq_answers_question_id")),
    )
    op.create_table(
        "feedback",
        sa.Column("answer_id", sa.String(length=200), nullable=False),
        sa.Column("person", sa.String(length=300), nullable=False),
        sa.Column("vote", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.answer_id"], name=op.f("fk_feedback_answer_id")),
        sa.PrimaryKeyConstraint("answer_id", "person", name=op.f("pk_feedback")),
    )


def _create_candidates() -> None:
    """What was found for each answer, with all that it was judged by."""
    op.create_table(
        "candidates",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("answer_id", sa.String(length=200), nullable=False),
        sa.Column("chunk_id", sa.String(length=64), nullable=False),
        sa.Column("lexical_rank", sa.Integer(), nullable=True),
        sa.Column("lexical_score", sa.Float(), nullable=True),
        sa.Column("dense_rank", sa.Integer(), nullable=True),
        sa.Column("dense_score", sa.Float(), nullable=True),
        sa.Column("fused_rank", sa.Integer(), nullable=True),
        sa.Column("fused_score", sa.Float(), nullable=True),
        sa.Column("expansion", sa.String(length=20), nullable=True),
        sa.Column("seed", sa.String(length=64), nullable=True),
        sa.Column("rerank_rank", sa.Integer(), nullable=True),
        sa.Column("rerank_score", sa.Float(), nullable=True),
        sa.Column("probability", sa.Float(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("shown", sa.Integer(), nullable=True),
        sa.Column("cited", sa.Boolean(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("schema", sa.Integer(), nullable=False),
        sa.Column("features", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answers.answer_id"], name=op.f("fk_candidates_answer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_candidates")),
    )
    op.create_index(op.f("ix_candidates_answer_id"), "candidates", ["answer_id"], unique=False)


def _create_work() -> None:
    """Which questions are done, and how often a message was begun."""
    op.create_table(
        "inbox",
        sa.Column("question_id", sa.String(length=200), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_inbox")),
    )
    op.create_table(
        "attempts",
        sa.Column("grp", sa.String(length=200), nullable=False),
        sa.Column("topic", sa.String(length=200), nullable=False),
        sa.Column("part", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("off", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("grp", "topic", "part", "off", name=op.f("pk_attempts")),
    )


def _create_delivery() -> None:
    """What is on its way to a surface, and what was posted on the ledger's own."""
    op.create_table(
        "outbox",
        sa.Column("question_id", sa.String(length=200), nullable=False),
        sa.Column("surface", sa.String(length=200), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("given", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("claim", sa.String(length=40), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("rechecks", sa.Integer(), nullable=False),
        sa.Column("doubt", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_state_due_at"), "outbox", ["state", "due_at"], unique=False)
    op.create_table(
        "posted",
        sa.Column("question_id", sa.String(length=200), nullable=False),
        sa.Column("answer_id", sa.String(length=200), nullable=False),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.answer_id"], name=op.f("fk_posted_answer_id")),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_posted")),
    )
