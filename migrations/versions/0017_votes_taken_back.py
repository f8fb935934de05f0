"""Each vote of a person on an answer, by how it was given, so that one that is taken back leaves the one before."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "votes_given",
        sa.Column("answer_id", sa.String(length=200), nullable=False),
        sa.Column("person", sa.String(length=300), nullable=False),
        sa.Column("reaction", sa.String(length=60), nullable=False),
        sa.Column("vote", sa.String(length=10), nullable=False),
        sa.Column("category", sa.String(length=40), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answers.answer_id"], name=op.f("fk_votes_given_answer_id_answers"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("answer_id", "person", "reaction", name=op.f("pk_votes_given")),
    )


def downgrade() -> None:
    op.drop_table("votes_given")
