"""Sessions that were ended, for every process of the service."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ended",
        sa.Column("mark", sa.String(length=64), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("mark", name=op.f("pk_ended")),
    )
    op.create_index(op.f("ix_ended_until"), "ended", ["until"])


def downgrade() -> None:
    op.drop_table("ended")
