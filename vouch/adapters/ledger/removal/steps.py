"""Takes chunks and paths of a document out of the steps of answers."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, select, update

from vouch.adapters.ledger.engine.schema import answer_steps

_STEPS_AT_ONCE = 500


def clean_steps(connection: Connection, places: Collection[tuple[str, str]], chunk_ids: Collection[str]) -> None:
    """Of its chunks no id and no score is left, nor the path of a step that looked there, nor what it opened."""
    gone = {path for _, path in places} | {":".join(place) for place in places}
    ids = set(chunk_ids)
    last = 0
    while True:
        query = select(answer_steps.c.id, answer_steps.c.args, answer_steps.c.found).where(answer_steps.c.id > last)
        rows = connection.execute(query.order_by(answer_steps.c.id).limit(_STEPS_AT_ONCE)).all()
        for row in rows:
            args, hits = _args(row.args, gone, ids), [hit for hit in row.found if hit[0] not in ids]
            if args != row.args or hits != row.found:
                here = answer_steps.c.id == row.id
                connection.execute(update(answer_steps).where(here).values(args=args, found=hits))
        if len(rows) < _STEPS_AT_ONCE:
            return
        last = rows[-1].id


def _args(args: dict[str, Any], gone: Collection[str], ids: Collection[str]) -> dict[str, Any]:
    kept = {name: value for name, value in args.items()
            if not (name in ("path", "document") and value in gone) and not (name == "chunk" and value in ids)}
    if "document" in args and "document" not in kept:
        kept.pop("section", None)
    if "words_of" in kept:
        kept["words_of"] = [one for one in kept["words_of"] if one not in ids]
    return kept
