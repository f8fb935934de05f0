"""Labels, the registry of models, what they need of candidates and votes, and the threads of questions.

Besides, indices for those who read answers and votes by time, and for a purge.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_INDICES = (("answers", ("made_at", "answer_id")), ("feedback", ("at",)), ("candidates", ("chunk_id",)))


def upgrade() -> None:
    with op.batch_alter_table("candidates") as table:
        table.add_column(sa.Column("text_hash", sa.String(length=64), nullable=True))
    with op.batch_alter_table("feedback") as table:
        table.add_column(sa.Column("category", sa.String(length=40), nullable=True))
    with op.batch_alter_table("outbox") as table:
        table.add_column(sa.Column("thread", sa.String(length=200), nullable=True))
    op.create_index(op.f("ix_outbox_thread"), "outbox", ["thread"])
    op.create_table(
        "labels",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("question_key", sa.String(length=64), nullable=False),
        sa.Column("audience", sa.JSON(), nullable=False),
        sa.Column("chunk_id", sa.String(length=64), nullable=False),
        sa.Column("text_hash", sa.String(length=64), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("relevance", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=20), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("person", sa.String(length=300), nullable=True),
        sa.Column("answer_id", sa.String(length=200), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_labels")),
    )
    op.create_index(op.f("ix_labels_chunk_id"), "labels", ["chunk_id"])
    op.create_index(op.f("ix_labels_answer_id"), "labels", ["answer_id"])
    op.create_index(op.f("ix_labels_question_key"), "labels", ["question_key"])
    for table_name, columns in _INDICES:
        op.create_index(op.f(_index(table_name, columns)), table_name, list(columns))
    op.create_table(
        "models",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_models")),
    )
    op.create_table(
        "model_pointers",
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=True),
        sa.Column("shadow", sa.String(length=200), nullable=True),
        sa.Column("shadow_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["model"], ["models.name"], name=op.f("fk_model_pointers_model_models")),
        sa.ForeignKeyConstraint(["shadow"], ["models.name"], name=op.f("fk_model_pointers_shadow_models")),
        sa.PrimaryKeyConstraint("kind", name=op.f("pk_model_pointers")),
    )
    op.create_table(
        "model_moves",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("former", sa.String(length=200), nullable=True),
        sa.Column("model", sa.String(length=200), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=300), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_moves")),
    )


def downgrade() -> None:
    for table in ("model_moves", "model_pointers", "models"):
        op.drop_table(table)
    for table_name, columns in _INDICES:
        op.drop_index(op.f(_index(table_name, columns)), table_name=table_name)
    op.drop_index(op.f("ix_labels_question_key"), table_name="labels")
    op.drop_index(op.f("ix_labels_answer_id"), table_name="labels")
    op.drop_index(op.f("ix_labels_chunk_id"), table_name="labels")
    op.drop_table("labels")
    op.drop_index(op.f("ix_outbox_thread"), table_name="outbox")
    with op.batch_alter_table("outbox") as batch:
        batch.drop_column("thread")
    with op.batch_alter_table("feedback") as batch:
        batch.drop_column("category")
    with op.batch_alter_table("candidates") as batch:
        batch.drop_column("text_hash")


def _index(table: str, columns: tuple[str, ...]) -> str:
    return "_".join(("ix", table, *columns))
