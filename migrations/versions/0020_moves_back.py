"""Which moves of a model were rollbacks."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Known until now of moves by the guard, of those to what comes with vouch, and by the words of the reason."""
    with op.batch_alter_table("model_moves") as table:
        table.add_column(sa.Column("back", sa.Boolean(), nullable=False, server_default=sa.false()))
    moves = sa.table("model_moves", sa.column("back", sa.Boolean), sa.column("model", sa.String),
                     sa.column("by", sa.String), sa.column("reason", sa.Text))
    op.execute(moves.update().values(back=True).where(sa.or_(
        moves.c.model.is_(None), moves.c.by == "guard", moves.c.reason.like("rolled back%"))))
    with op.batch_alter_table("model_moves") as table:
        table.alter_column("back", existing_type=sa.Boolean(), server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("model_moves") as table:
        table.drop_column("back")
