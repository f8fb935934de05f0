"""Who has asked within the last minutes, for a limit per person."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "asked",
        sa.Column("question_id", sa.String(length=200), nullable=False),
        sa.Column("asker", sa.String(length=300), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_asked")),
    )
    op.create_index(op.f("ix_asked_asker_at"), "asked", ["asker", "at"])


def downgrade() -> None:
    op.drop_index(op.f("ix_asked_asker_at"), table_name="asked")
    op.drop_table("asked")
