"""Takes words of a document out of the registry of models."""

from typing import Any

from sqlalchemy import Connection, Table, select, update

from vouch.adapters.ledger.engine.schema import model_moves, models
from vouch.adapters.ledger.registry.model_rows import RETIRED
from vouch.adapters.ledger.removal.word_search import Holds, as_json
from vouch.answering.answer import REMOVED


def clean_models(connection: Connection, holds: Holds) -> None:
    """Reasons, names and texts of reports that hold such words say that they were removed; retired models go whole.

    The body of a model that may still serve is left: it would be another model without them. See `models_with`.
    """
    _clean(connection, model_moves, holds)
    _clean(connection, models, holds)
    retired = connection.execute(select(models.c.name, models.c.body).where(models.c.state == RETIRED))
    for row in retired.all():
        if holds(as_json(row.body)):
            connection.execute(update(models).where(models.c.name == row.name).values(body={"removed": REMOVED}))


def models_with(connection: Connection, holds: Holds) -> list[str]:
    """Names of those whose body holds such words."""
    rows = connection.execute(select(models.c.name, models.c.body).order_by(models.c.name))
    return [row.name for row in rows if holds(as_json(row.body))]


def _clean(connection: Connection, table: Table, holds: Holds) -> None:
    (key,) = table.primary_key.columns
    fields = [column for column in table.c if column.name in ("reason", "by", "report")]
    for row in connection.execute(select(key, *fields)).all():
        held = row._mapping
        changed = {
            field.name: _without(held[field], holds) for field in fields if holds(as_json(held[field]))
        }  # fmt: skip
        if changed:
            connection.execute(update(table).where(key == held[key]).values(**changed))


def _without(value: Any, holds: Holds) -> Any:
    """The same, with a word in the place of each text that holds some."""
    if isinstance(value, str):
        return REMOVED if holds(value.encode()) else value
    if isinstance(value, dict):
        return {_without(name, holds): _without(held, holds) for name, held in value.items()}
    return [_without(held, holds) for held in value] if isinstance(value, list) else value
