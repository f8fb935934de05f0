"""Questions whose answers were reduced: their words leave the labels too, whatever passage was judged for them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, func, select

from vouch.adapters.ledger.engine.schema import answers, labels, outbox
from vouch.answering.removed import REMOVED
from vouch.learning.labels.label import question_key
from vouch.learning.labels.weak_labels import audience_tags
from vouch.messages import AudienceRef

_BATCH = 200
_AUDIENCE: TypeAdapter[AudienceRef] = TypeAdapter(AudienceRef)


def keys_of(connection: Connection, answer_ids: Collection[str]) -> set[str]:
    """What labels name the questions of these answers by: as they were asked, and as they were understood.

    To be asked before the answers are reduced; afterwards nobody knows the words.
    """
    query = select(answers.c.body, outbox.c.question).join(outbox, outbox.c.question_id == answers.c.question_id)
    return {
        key
        for ids in _batches(answer_ids)
        for row in connection.execute(query.where(answers.c.answer_id.in_(ids)))
        for key in _keys(row.body, row.question)
    }


def drop_labels_of(connection: Connection, keys: Collection[str]) -> int:
    """How many there were."""
    dropped = (connection.execute(delete(labels).where(labels.c.question_key.in_(some))) for some in _batches(keys))
    return sum(done.rowcount for done in dropped)


def count_labels_of(connection: Connection, keys: Collection[str]) -> int:
    counted = select(func.count()).select_from(labels)
    return sum(
        connection.execute(counted.where(labels.c.question_key.in_(some))).scalar_one() for some in _batches(keys)
    )


def _keys(body: Mapping[str, Any], question: Mapping[str, Any]) -> Iterator[str]:
    tags = audience_tags(_AUDIENCE.validate_python(question["audience"]))
    for text in {question["text"], body.get("question"), body.get("understood_as")} - {None, "", REMOVED}:
        yield question_key(text, tags)


def _batches(values: Collection[str]) -> Iterator[Sequence[str]]:
    ordered = sorted(values)
    for start in range(0, len(ordered), _BATCH):
        yield ordered[start : start + _BATCH]
