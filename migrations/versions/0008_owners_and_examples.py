"""Who looks after documents, and who lets owners see their questions as examples."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rulebooks") as table:
        table.add_column(sa.Column("owners", sa.JSON(), nullable=True))
    op.create_table(
        "example_choices",
        sa.Column("person", sa.String(length=300), nullable=False),
        sa.Column("allowed_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("denied_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_example_choices")),
    )


def downgrade() -> None:
    op.drop_table("example_choices")
    with op.batch_alter_table("rulebooks") as table:
        table.drop_column("owners")
