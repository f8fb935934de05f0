"""The engine of a ledger on PostgreSQL: a lost connection is replaced, and nobody waits for ever."""

from functools import cache
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, text

from vouch.adapters.ledger.engine.stored_json import stored_json

LOCK_MS = 30_000                        # for a row or a turn that another transaction holds
CONNECT_S = 10
SILENT_S = 90.0                         # a server that says nothing for that long has hung, or the way to it has
POOL, OVERFLOW = 5, 15                  # connections of a process; a server has a hundred for all
_DEAD_AFTER_S = {"idle": 30, "interval": 10, "count": 3}


def postgres_engine(url: URL) -> Engine:
    # Each connection is tried before it is lent: after a restart of the server the old ones are dead.
    engine = create_engine(
        url, isolation_level="READ COMMITTED", pool_pre_ping=True, pool_size=POOL, max_overflow=OVERFLOW,
        json_serializer=stored_json,
    )  # fmt: skip

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, words: Any, values: dict[str, Any]) -> Any:
        return _impatient()(*words, **{"connect_timeout": CONNECT_S, **values})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.execute(f"SET lock_timeout = {LOCK_MS}")
        for name, value in _DEAD_AFTER_S.items():       # so that the server frees the locks of a machine that vanished
            connection.execute(f"SET tcp_keepalives_{name} = {value}")
        connection.commit()

    return engine


def take_turn(connection: Connection, turn: str) -> None:
    """Until the transaction ends nobody else has this turn. Waits for whoever has it."""
    connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:turn, 0))"), {"turn": turn})


@cache
def _impatient() -> Any:
    """How a connection is made that is given up, and closed, when the server is silent for too long."""
    import psycopg

    class Impatient(psycopg.Connection[Any]):
        def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
            try:
                return super().wait(gen, interval, timeout=SILENT_S if timeout is None else timeout)
            except psycopg.errors._WaitTimeout as error:
                self.pgconn.finish()
                raise psycopg.OperationalError(f"the server was silent for {SILENT_S:.0f} s") from error

    return Impatient.connect
