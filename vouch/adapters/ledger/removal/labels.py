"""Labels that go with a document: its own, those of questions in its words, and of questions whose answers go."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, func, select

from vouch.adapters.ledger.engine.schema import answers, labels, outbox
from vouch.adapters.ledger.removal.word_search import WordSearch
from vouch.answering.answer import REMOVED
from vouch.batches import batches
from vouch.learning.labels.label import audience_tags, question_key
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
        for ids in batches(sorted(answer_ids), _BATCH)
        for row in connection.execute(query.where(answers.c.answer_id.in_(ids)))
        for key in _keys(row.body, row.question)
    }


def drop_labels_of(connection: Connection, keys: Collection[str]) -> int:
    """How many there were."""
    dropped = delete(labels)
    return sum(
        connection.execute(dropped.where(labels.c.question_key.in_(some))).rowcount
        for some in batches(sorted(keys), _BATCH)
    )


def count_labels_of(connection: Connection, keys: Collection[str]) -> int:
    counted = select(func.count()).select_from(labels)
    return sum(
        connection.execute(counted.where(labels.c.question_key.in_(some))).scalar_one()
        for some in batches(sorted(keys), _BATCH)
    )


def questions_of_labels(connection: Connection) -> list[str]:
    """All that `drop_labels` asks a `WordSearch` about, for a search beforehand."""
    return [row.question for row in _questions(connection)]


def drop_labels(
    connection: Connection, made_from: Collection[str], chunk_ids: Collection[str], words: WordSearch
) -> int:
    """Of its chunks, of answers made from it, and of questions in its words."""
    asked = _questions(connection)
    quoting = words.quoting(row.question for row in asked)
    keys = {row.question_key for row in asked if row.question in quoting}
    count = 0
    for column, values in (
        (labels.c.chunk_id, chunk_ids), (labels.c.answer_id, made_from), (labels.c.question_key, keys),
    ):  # fmt: skip
        for some in batches(sorted(set(values)), _BATCH):
            count += connection.execute(delete(labels).where(column.in_(some))).rowcount
    return count


def _questions(connection: Connection) -> Sequence[Any]:
    """Under one key there may be several, which differ in capitals and spaces."""
    return connection.execute(select(labels.c.question_key, labels.c.question).distinct()).all()


def _keys(body: Mapping[str, Any], question: Mapping[str, Any]) -> Iterator[str]:
    tags = audience_tags(_AUDIENCE.validate_python(question["audience"]))
    for text in {question["text"], body.get("question"), body.get("understood_as")} - {None, "", REMOVED}:
        yield question_key(text, tags)
