"""What is read of a source, and which of the sources that had its name it is."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sources", sa.Column("options", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("sources", "options")
