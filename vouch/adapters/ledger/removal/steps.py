"""Takes chunks and paths of a document out of the steps of answers: of the rows of steps, and of the answers' JSON."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import Connection, Row, select, update

from vouch.adapters.ledger.engine.schema import answer_steps, answers
from vouch.documents.formats import SUFFIXES
from vouch.filters import Filters

PURGED = "purged"
"""In the args of a step: it has lost some of them, and cannot be run again."""
_ANSWERS_AT_ONCE = 200
_NAMES = ("path", "document", "chunk")


@dataclass(frozen=True, slots=True)
class _Gone:
    """What was purged."""

    places: Collection[tuple[str, str]]
    ids: Collection[str]

    def is_named(self, value: str) -> bool:
        """The text is one of the ids or places, or a folder or a pattern of a path that a place lies in.

        Not if it holds nothing of a name: `**` and `**/*.md` say nothing of the document.
        """
        if value in self.ids or any(value == ":".join(place) for place in self.places):
            return True
        if not _named_in(value):
            return False
        pattern = Filters.model_construct(paths=(value,))
        return any(pattern.places(source, path) for source, path in self.places)


def _named_in(pattern: str) -> str:
    """Without wildcards and the suffix of a format. A `?` counts: many of them tell how long a name is."""
    suffix = PurePosixPath(pattern).suffix
    return pattern.removesuffix(suffix if suffix in SUFFIXES else "").strip("*/")


def clean_steps(connection: Connection, places: Collection[tuple[str, str]], chunk_ids: Collection[str]) -> None:
    """Of its chunks no id and no score is left, nor what a step named that is the document, or that it lies in.

    A step that loses something it named is marked as `PURGED`.
    """
    gone = _Gone(places, set(chunk_ids))
    for answer_id, rows in _by_answer(connection):
        here = answers.c.answer_id == answer_id
        asked = any(name in row.args for row in rows for name in _NAMES)
        body = connection.execute(select(answers.c.body).where(here)).scalar_one() if asked else {}
        told = [_told(one, gone) for one in body.get("steps", ())]
        if told != body.get("steps", []):
            connection.execute(update(answers).where(here).values(body={**body, "steps": told}))
        lost = [one != before for one, before in zip(told, body.get("steps", ()), strict=True)]
        for number, row in enumerate(rows):
            _clean_row(connection, row, gone, lost=number < len(lost) and lost[number])


def _by_answer(connection: Connection) -> Iterator[tuple[str, Sequence[Row[Any]]]]:
    last = ""
    while True:
        ids = select(answer_steps.c.answer_id).where(answer_steps.c.answer_id > last).distinct()
        some = connection.execute(ids.order_by(answer_steps.c.answer_id).limit(_ANSWERS_AT_ONCE)).scalars().all()
        query = select(answer_steps).where(answer_steps.c.answer_id.in_(some))
        rows = connection.execute(query.order_by(answer_steps.c.answer_id, answer_steps.c.number)).all()
        for answer_id, own in groupby(rows, lambda row: row.answer_id):
            yield answer_id, list(own)
        if len(some) < _ANSWERS_AT_ONCE:
            return
        last = some[-1]


def _clean_row(connection: Connection, row: Row[Any], gone: _Gone, *, lost: bool) -> None:
    args, hits = _args(row.args, gone, lost=lost), [hit for hit in row.found if hit[0] not in gone.ids]
    if args != row.args or hits != row.found:
        here = answer_steps.c.id == row.id
        connection.execute(update(answer_steps).where(here).values(args=args, found=hits))


def _args(args: Mapping[str, Any], gone: _Gone, *, lost: bool) -> dict[str, Any]:
    kept = {name: value for name, value in args.items() if name not in _NAMES or not gone.is_named(value)}
    if lost or len(kept) < len(args):
        kept = {name: value for name, value in kept.items() if name not in (*_NAMES, "section")} | {PURGED: True}
    if "words_of" in kept:
        kept["words_of"] = [one for one in kept["words_of"] if one not in gone.ids]
    return kept


def _told(step: Mapping[str, Any], gone: _Gone) -> dict[str, Any]:
    """A step as the answer tells it, without what names the document."""
    kept = {name: value for name, value in step.items()
            if not (name in ("path", "opened") and value and gone.is_named(value))}
    return kept if len(kept) == len(step) else {name: value for name, value in kept.items() if name != "section"}
