"""Which answers were made from a document, and the stub that is left of each."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, delete, select, update

from vouch.adapters.ledger.answers.outbox import UNDER_WAY
from vouch.adapters.ledger.engine.schema import answer_steps, answers, candidates, outbox
from vouch.adapters.ledger.permissions.restrictions import Place
from vouch.adapters.ledger.removal.word_search import Holds
from vouch.answering.answer import REMOVED, removed_answer
from vouch.batches import batches

_READ_AT_ONCE = 200


def answers_made_from(
    connection: Connection, places: Collection[Place], chunk_ids: Collection[str], holds: Holds
) -> dict[str, str]:
    """Answer id → question id of those that were given its chunks, cite it, or hold words of it."""
    query = select(answers.c.answer_id, answers.c.question_id, answers.c.body, outbox.c.given, outbox.c.question,
                   outbox.c.note)
    query = query.outerjoin(outbox, outbox.c.question_id == answers.c.question_id)
    return {
        row.answer_id: row.question_id
        for row in connection.execution_options(yield_per=_READ_AT_ONCE).execute(query)
        if _was_given(row.body, row.given or (), places, chunk_ids) or holds(_bytes(row))
    }


def reduce_answer(connection: Connection, answer_id: str) -> None:
    """The answer is a stub, without candidates; its question too, unless it still waits to be sent."""
    this = answers.c.answer_id == answer_id
    mine = outbox.c.question_id == select(answers.c.question_id).where(this).scalar_subquery()
    # The outbox before the answer, as senders do: whoever goes the other way round waits for one that waits for it.
    sent = connection.execute(select(outbox.c.state, outbox.c.question).where(mine).with_for_update()).first()
    row = connection.execute(select(answers).where(this).with_for_update()).first()
    if row is None:
        return
    stub = removed_answer(row.answer_id, row.question_id, row.made_at, row.body)
    connection.execute(update(answers).where(this).values(body=stub))
    connection.execute(delete(candidates).where(candidates.c.answer_id == answer_id))
    connection.execute(delete(answer_steps).where(answer_steps.c.answer_id == answer_id))
    if sent is None:
        return
    if sent.state in UNDER_WAY:
        # No chunk has this id, so the sender finds that the readers may not see it and has it answered anew.
        connection.execute(update(outbox).where(mine).values(given=[REMOVED], note=None))
    else:
        question = {**sent.question, "text": REMOVED}
        connection.execute(update(outbox).where(mine).values(given=[], note=None, question=question))


def drop_candidates(connection: Connection, chunk_ids: Collection[str]) -> int:
    """From answers that stay; how many there were. Those that one of these chunks led to have no such origin left."""
    count = 0
    for ids in batches(sorted(chunk_ids), _READ_AT_ONCE):
        count += connection.execute(delete(candidates).where(candidates.c.chunk_id.in_(ids))).rowcount
        connection.execute(update(candidates).where(candidates.c.seed.in_(ids)).values(seed=None))
    return count


def _was_given(
    body: Mapping[str, Any], given: Collection[str], places: Collection[Place], chunk_ids: Collection[str]
) -> bool:
    cited = body.get("citations", ())
    if any((one.get("source"), one.get("path")) in places for one in cited):
        return True
    ids = {*given, *(one.get("chunk_id") for one in cited)}
    return not ids.isdisjoint(chunk_ids)


def _bytes(row: Any) -> bytes:
    return json.dumps([row.body, row.question, row.note], ensure_ascii=False).encode()
