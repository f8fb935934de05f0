"""Which rules limit a grant until the next scan, where a content is older than its version, and what limits it then."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The rules in force now count as those of the last scan: nobody knows which ones it had, and what stayed readable
    # until now stays so. Each source is scanned by the next ingest.
    with op.batch_alter_table("rulebooks") as table:
        table.add_column(sa.Column("scanned", sa.Boolean(), nullable=False, server_default=sa.true()))
        table.add_column(sa.Column("earlier", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("rulebooks") as table:
        table.alter_column("scanned", server_default=None)
        table.alter_column("earlier", server_default=None)
    with op.batch_alter_table("versions") as table:
        table.add_column(sa.Column("content_of", sa.JSON(), nullable=True))
    op.create_table(
        "restrictions",
        sa.Column("source", sa.String(length=200), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("limits", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("source", "path", name=op.f("pk_restrictions")),
    )


def downgrade() -> None:
    op.drop_table("restrictions")
    with op.batch_alter_table("versions") as table:
        table.drop_column("content_of")
    with op.batch_alter_table("rulebooks") as table:
        table.drop_column("earlier")
        table.drop_column("scanned")
