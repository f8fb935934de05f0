"""What Slack told to have changed of conversations, accounts, and user groups."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "slack_changes",
        sa.Column("subject", sa.String(length=60), nullable=False),
        sa.Column("stamp", sa.String(length=32), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_slack_changes")),
    )
    op.create_index(op.f("ix_slack_changes_at"), "slack_changes", ["at"])


def downgrade() -> None:
    op.drop_table("slack_changes")
