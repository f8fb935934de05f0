"""Runs migrations on the connection that the ledger hands over, inside its transaction."""

from alembic import context

from vouch.adapters.ledger.engine.schema import metadata

config = context.config
connection = config.attributes.get("connection")


def configure(**where: object) -> None:
    context.configure(target_metadata=metadata, render_as_batch=True, transactional_ddl=True, **where)


if context.is_offline_mode():
    configure(url=config.get_main_option("sqlalchemy.url"), literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()
elif connection is not None:
    configure(connection=connection)
    with context.begin_transaction():  # nothing of its own: the ledger's transaction is open already
        context.run_migrations()
else:
    raise SystemExit("migrations run through vouch.adapters.ledger.open_ledger, which holds the lock")
