"""Questions handed over to people, what these answered as drafts of documents, and messages that wait to be posted."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "handoffs",
        sa.Column("answer_id", sa.String(length=200), nullable=False),
        sa.Column("conversation", sa.String(length=200), nullable=False),
        sa.Column("thread", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("opened_by", sa.String(length=300), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_by", sa.String(length=300), nullable=True),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolved_by", sa.String(length=300), nullable=True),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("words", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.answer_id"], name=op.f("fk_handoffs_answer_id")),
        sa.PrimaryKeyConstraint("answer_id", name=op.f("pk_handoffs")),
    )
    op.create_index(op.f("ix_handoffs_thread"), "handoffs", ["thread"])
    op.create_index(op.f("ix_handoffs_opened_by_opened_at"), "handoffs", ["opened_by", "opened_at"])
    op.create_table(
        "drafts",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("answer_id", sa.String(length=200), nullable=False),
        sa.Column("conversation", sa.String(length=200), nullable=False),
        sa.Column("documents", sa.JSON(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("access", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("by", sa.String(length=300), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.String(length=300), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
    )
    op.create_index(op.f("ix_drafts_state_expires_at"), "drafts", ["state", "expires_at"])
    op.create_table(
        "notices",
        sa.Column("id", sa.String(length=300), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
    )
    op.create_index(op.f("ix_notices_state_due_at"), "notices", ["state", "due_at"])


def downgrade() -> None:
    for table in ("notices", "drafts", "handoffs"):
        op.drop_table(table)
