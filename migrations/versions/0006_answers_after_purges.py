"""How often answers were searched for what is to be forgotten: what was made before such a search is not recorded."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("pointers") as table:
        table.add_column(sa.Column("erasures", sa.BigInteger(), nullable=False, server_default="0"))
    with op.batch_alter_table("pointers") as table:
        table.alter_column("erasures", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("pointers") as table:
        table.drop_column("erasures")
