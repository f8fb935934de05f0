"""Every value that the ledger holds, for a search for what is left of a document."""

import json
from collections.abc import Iterable, Iterator

from sqlalchemy import Table, select

from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import (
    acts,
    directory,
    example_choices,
    former_rules,
    metadata,
    purges,
    rulebooks,
    slack_channels,
    sources,
    stat_cache,
    versions,
)

_READ_AT_ONCE = 200
_KEPT = (sources, stat_cache, rulebooks, former_rules, directory, versions, purges, example_choices, slack_channels,
         acts)


def values_of_all(database: Database) -> Iterator[bytes]:
    """Every text, blob and JSON in every table."""
    return _values(database, metadata.sorted_tables)


def values_kept(database: Database) -> Iterator[bytes]:
    """Those of the tables that a purge leaves as they are: names of places, rules, people, versions, choices."""
    return _values(database, _KEPT)


def _values(database: Database, tables: Iterable[Table]) -> Iterator[bytes]:
    for table in tables:
        with database.read() as connection:
            for row in connection.execution_options(yield_per=_READ_AT_ONCE).execute(select(table)):
                for value in row:
                    if isinstance(value, str):
                        yield value.encode()
                    elif isinstance(value, dict | list):
                        yield json.dumps(value, ensure_ascii=False).encode()
