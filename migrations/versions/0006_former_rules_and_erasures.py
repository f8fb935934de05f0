"""How often answers were searched for what is to be forgotten, and under which rules a version ceased to be current."""

import json
from hashlib import sha256

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
    with op.batch_alter_table("versions") as table:
        table.add_column(sa.Column("rules", sa.String(length=64), nullable=True))
    former = op.create_table(
        "former_rules",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("books", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_former_rules")),
    )
    # Nobody knows which rules earlier versions had; those in force now count as theirs, as they did until now.
    connection = op.get_bind()
    stored = connection.execute(sa.text("SELECT source, book FROM rulebooks")).all()
    held = {row.source: json.loads(row.book) if isinstance(row.book, str) else row.book for row in stored}
    names = connection.execute(sa.text("SELECT name FROM sources")).scalars()
    books = {name: [held[name]] if name in held else None for name in sorted(names)}
    digest = sha256(json.dumps(books, sort_keys=True).encode()).hexdigest()
    connection.execute(sa.insert(former).values(digest=digest, books=books))
    connection.execute(sa.text("UPDATE versions SET rules = :digest"), {"digest": digest})


def downgrade() -> None:
    op.drop_table("former_rules")
    with op.batch_alter_table("versions") as table:
        table.drop_column("rules")
    with op.batch_alter_table("pointers") as table:
        table.drop_column("erasures")
