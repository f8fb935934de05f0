"""schema.py has every table of the folder beside it: what reads the schema from there misses none."""

import pkgutil
from importlib import import_module

from sqlalchemy import Table

from vouch.adapters.ledger.engine import schema, tables


def defined() -> dict[str, Table]:
    """By the names that the modules of the folder give them."""
    modules = [import_module(f"{tables.__name__}.{one.name}") for one in pkgutil.iter_modules(tables.__path__)]
    return {name: value for module in modules for name, value in vars(module).items() if isinstance(value, Table)}


def missing(found: dict[str, Table]) -> set[str]:
    return {name for name, table in found.items() if name not in schema.__all__ or getattr(schema, name) is not table}


def test_schema_has_every_table() -> None:
    found = defined()
    assert len(found) > 30 and missing(found) == set()
    assert {table.name for table in found.values()} == set(schema.metadata.tables)
    assert missing({"nowhere": found["answers"]}) == {"nowhere"}
