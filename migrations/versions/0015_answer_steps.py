"""The further steps that were taken for an answer."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answer_steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("answer_id", sa.String(length=200), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("tool", sa.String(length=20), nullable=False),
        sa.Column("planner", sa.String(length=200), nullable=False),
        sa.Column("args", sa.JSON(), nullable=False),
        sa.Column("ms", sa.Float(), nullable=False),
        sa.Column("error", sa.String(length=100), nullable=False),
        sa.Column("found", sa.JSON(), nullable=False),
        sa.Column("stopped", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answers.answer_id"], name=op.f("fk_answer_steps_answer_id_answers"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_steps")),
    )
    op.create_index(op.f("ix_answer_steps_answer_id"), "answer_steps", ["answer_id"])


def downgrade() -> None:
    op.drop_table("answer_steps")
