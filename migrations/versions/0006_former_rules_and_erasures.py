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
    # What was let in by versions that were left before is not known: what only they have is for nobody.
    # The one that is current now notes its rules when it is left.
    connection = op.get_bind()
    names = connection.execute(sa.text("SELECT name FROM sources")).scalars()
    books = dict.fromkeys(sorted(names))
    digest = sha256(json.dumps(books, sort_keys=True).encode()).hexdigest()
    connection.execute(sa.insert(former).values(digest=digest, books=books))
    connection.execute(sa.text("UPDATE versions SET rules = :digest"), {"digest": digest})


def downgrade() -> None:
    op.drop_table("former_rules")
    with op.batch_alter_table("versions") as table:
        table.drop_column("rules")
    with op.batch_alter_table("pointers") as table:
        table.drop_column("erasures")
