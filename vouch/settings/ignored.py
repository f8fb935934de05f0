"""Names of the environment that are no setting, and nearly one: nothing reads them, and their values are lost."""

import difflib
import os
from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from vouch.settings.reading import Settings

_OTHERS = frozenset({"VOUCH_CONFIG", "VOUCH_DATA", "VOUCH_SERVERS"})       # of the command, of Docker Compose, of tests


def ignored_names() -> list[str]:
    """What to tell about each, in order. Names with `__` in them are checked when the settings are read."""
    known = {name.replace("__", "_"): name for name in _names()}
    given = sorted(name for name in os.environ if name.upper().startswith("VOUCH_") and "__" not in name)
    return [f"{name} is no setting and has no effect; did you mean {known[near]}?"
            for name in given if name.upper() not in {*known.values(), *_OTHERS}
            for near in difflib.get_close_matches(name.upper(), known, 1, 0.85)]


def _names() -> Iterator[str]:
    for part, field in Settings.model_fields.items():
        groups = list(_groups(field))
        for group in groups:
            yield from (f"VOUCH_{part}__{name}".upper() for name in group.model_fields)
        if not groups:
            yield f"VOUCH_{part}".upper()


def _groups(field: FieldInfo) -> Iterator[type[BaseModel]]:
    for kind in get_args(field.annotation) or (field.annotation,):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield kind
