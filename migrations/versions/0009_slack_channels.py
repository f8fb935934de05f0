"""What is set for channels of Slack, and questions that were changed or taken back while they waited."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "slack_channels",
        sa.Column("channel", sa.String(length=50), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("changed_by", sa.String(length=300), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("channel", name=op.f("pk_slack_channels")),
    )
    op.create_table(
        "changed_questions",
        sa.Column("question_id", sa.String(length=200), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("filters", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_changed_questions")),
    )
    op.create_index(op.f("ix_changed_questions_kept_at"), "changed_questions", ["kept_at"])


def downgrade() -> None:
    op.drop_index(op.f("ix_changed_questions_kept_at"), table_name="changed_questions")
    for table in ("changed_questions", "slack_channels"):
        op.drop_table(table)
