"""Whether an index on the server is the one that vouch would make: scores and permissions rest on its form."""

from collections.abc import Mapping
from typing import Any


def differs(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The first place where an index, as the server tells it, is not as `wanted`; empty if there is none.

    Compared are fields, analysis and similarity. The rest an administrator may change.
    """
    mappings, settings = found["mappings"], found["settings"]["index"]
    unknown = set(mappings.get("properties", ())) - set(wanted["mappings"]["properties"])
    if unknown:
        return f"mappings.properties.{min(unknown)}"
    ours = {"mappings": wanted["mappings"]} | {name: wanted["settings"][name] for name in ("analysis", "similarity")}
    return ".".join(_place({**settings, "mappings": mappings}, ours) or ())


def _place(found: Any, wanted: Any) -> tuple[str, ...] | None:
    """The keys that lead to the first value of `wanted` that `found` has not. Numbers and truth come as words."""
    if not isinstance(wanted, Mapping):
        return None if str(found).lower() == str(wanted).lower() else ()
    for key, value in wanted.items():
        below = _place(found.get(key) if isinstance(found, Mapping) else None, value)
        if below is not None:
            return (str(key), *below)
    return None
