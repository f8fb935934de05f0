"""When a question was asked, so that a thread is answered in order, and whom a question of one person was sent to."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("outbox") as table:
        table.add_column(sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE outbox SET asked_at = due_at")
    with op.batch_alter_table("outbox") as table:
        table.alter_column("asked_at", existing_type=sa.DateTime(timezone=True), nullable=False)
    op.drop_index(op.f("ix_outbox_thread"), table_name="outbox")
    op.create_index(op.f("ix_outbox_thread_state"), "outbox", ["thread", "state"])
    with op.batch_alter_table("handoffs") as table:
        table.add_column(sa.Column("sent_to", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("handoffs") as table:
        table.drop_column("sent_to")
    op.drop_index(op.f("ix_outbox_thread_state"), table_name="outbox")
    op.create_index(op.f("ix_outbox_thread"), "outbox", ["thread"])
    with op.batch_alter_table("outbox") as table:
        table.drop_column("asked_at")
