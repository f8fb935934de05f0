"""Ids of events that Slack told of, so that none is taken twice."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "slack_events",
        sa.Column("event_id", sa.String(length=100), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_slack_events")),
    )
    op.create_index(op.f("ix_slack_events_taken_at"), "slack_events", ["taken_at"])


def downgrade() -> None:
    op.drop_table("slack_events")
