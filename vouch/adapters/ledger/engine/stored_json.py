"""JSON as every database takes it: PostgreSQL reads no value that holds a zero character or half of a pair."""

import json
import re
from typing import Any

from sqlalchemy import JSON
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_MARKS = ("\\u0000", "\\ud")            # what JSON in ASCII writes for these, and for whole pairs


def stored_json(value: Any) -> str:
    """Characters that cannot be read again are replaced: a language model may write any."""
    written = json.dumps(value)
    return json.dumps(_readable(value)) if any(mark in written for mark in _MARKS) else written


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return _NO_TEXT.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_readable(name): _readable(held) for name, held in value.items()}
    return [_readable(held) for held in value] if isinstance(value, list | tuple) else value


class WholeJson(FunctionElement[Any]):
    """A column's value; NULL for text that is no JSON, which a SQLite file can hold, and which ends a query there."""

    type = JSON()
    inherit_cache = True


@compiles(WholeJson)
def _as_it_is(element: WholeJson, compiler: SQLCompiler, **more: Any) -> str:
    return compiler.process(element.clauses, **more)


@compiles(WholeJson, "sqlite")
def _valid(element: WholeJson, compiler: SQLCompiler, **more: Any) -> str:
    column = compiler.process(element.clauses, **more)
    return f"CASE WHEN json_valid({column}) THEN {column} END"
