"""Takes words of a document out of labels, steps, hand-overs, drafts and the registry of models."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, select, update

from vouch.adapters.ledger.answers.notices import WAITING
from vouch.adapters.ledger.engine.schema import (
    answer_steps,
    answers,
    drafts,
    handoffs,
    labels,
    model_moves,
    models,
    notices,
    outbox,
)
from vouch.adapters.ledger.handoffs import EXPIRED, REFUSED
from vouch.adapters.ledger.registry.model_rows import RETIRED
from vouch.answering.answer import REMOVED
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


_SOURCE = "human-answers"


def clean_handed_over(
    connection: Connection, places: Collection[tuple[str, str]], made_from: Collection[str],
    quoting: Callable[[str], bool],
) -> None:  # fmt: skip
    """Drafts that are the document, quote it, or came of an answer made from it are gone, as are words of hand-overs of
    such answers, and digests that wait: these name documents."""
    paths, named = {path for source, path in places if source == _SOURCE}, {f"{s}:{path}" for s, path in places}
    for row in connection.execute(select(drafts)).all():
        it = any(path.endswith(f"/{row.id}.md") for path in paths) or not named.isdisjoint(row.documents)
        if it or row.answer_id in made_from or quoting(row.text) or quoting(row.question):
            connection.execute(delete(drafts).where(drafts.c.id == row.id))
    for row in connection.execute(select(handoffs).where(handoffs.c.words.is_not(None))).all():
        if row.answer_id in made_from or quoting(row.words):
            connection.execute(update(handoffs).where(handoffs.c.answer_id == row.answer_id).values(words=None))
    connection.execute(delete(notices).where(notices.c.kind == "digest", notices.c.state == WAITING))


def words_of_drafts(connection: Connection) -> list[str]:
    """All that `clean_handed_over` looks at, for a search beforehand."""
    held = [text for row in connection.execute(select(drafts.c.question, drafts.c.text)) for text in row]
    return [*held, *connection.execute(select(handoffs.c.words).where(handoffs.c.words.is_not(None))).scalars()]


def expire_handed_over(connection: Connection, before: datetime) -> int:
    """Drafts that came to nothing, and messages that were posted, of before then; how many drafts."""
    gone = connection.execute(delete(drafts).where(_old(before))).rowcount
    connection.execute(delete(notices).where(notices.c.state != WAITING, notices.c.made_at < before))
    return gone


def expired_drafts(before: datetime) -> Select[Any]:
    """What `expire_handed_over` would delete."""
    return select(drafts.c.id).where(_old(before))


def _old(before: datetime) -> ColumnElement[bool]:
    return drafts.c.state.in_((REFUSED, EXPIRED)) & (drafts.c.expires_at < before) & (drafts.c.made_at < before)


Holds = Callable[[bytes], bool]


def clean_models(connection: Connection, holds: Holds) -> None:
    """Reasons, names and texts of reports that hold such words say that they were removed; retired models go whole.

    The body of a model that may still serve is left: it would be another model without them. See `models_with`.
    """
    _clean(connection, model_moves, holds)
    _clean(connection, models, holds)
    retired = connection.execute(select(models.c.name, models.c.body).where(models.c.state == RETIRED))
    for row in retired.all():
        if holds(as_json(row.body)):
            connection.execute(update(models).where(models.c.name == row.name).values(body={"removed": REMOVED}))


def models_with(connection: Connection, holds: Holds) -> list[str]:
    """Names of those whose body holds such words."""
    rows = connection.execute(select(models.c.name, models.c.body).order_by(models.c.name))
    return [row.name for row in rows if holds(as_json(row.body))]


def _clean(connection: Connection, table: Table, holds: Holds) -> None:
    (key,) = table.primary_key.columns
    fields = [column for column in table.c if column.name in ("reason", "by", "report")]
    for row in connection.execute(select(key, *fields)).all():
        held = row._mapping
        changed = {
            field.name: _without(held[field], holds) for field in fields if holds(as_json(held[field]))
        }  # fmt: skip
        if changed:
            connection.execute(update(table).where(key == held[key]).values(**changed))


def _without(value: Any, holds: Holds) -> Any:
    """The same, with a word in the place of each text that holds some."""
    if isinstance(value, str):
        return REMOVED if holds(value.encode()) else value
    if isinstance(value, dict):
        return {_without(name, holds): _without(held, holds) for name, held in value.items()}
    return [_without(held, holds) for held in value] if isinstance(value, list) else value


def as_json(value: object) -> bytes:
    """As the ledger keeps it, so that words are found in it as they stand there."""
    return json.dumps(value, ensure_ascii=False).encode()


_TOGETHER = 500                         # what a search costs beside its bytes is then paid once for that many texts
_JOINT = b"\0"


class WordSearch:
    """Remembers what it has looked into, so that it can be asked before a write transaction and again within it.

    `holds` says whether some bytes hold such words; bytes that do, do so too with others around them.
    """

    def __init__(self, holds: Callable[[bytes], bool]) -> None:
        self._holds = holds
        self._seen = dict[str, bool]()

    def quoting(self, texts: Iterable[str]) -> set[str]:
        """Those that hold words of the document."""
        asked = set(texts)
        new = sorted(asked - self._seen.keys())
        for start in range(0, len(new), _TOGETHER):
            self._look(new[start : start + _TOGETHER])
        return {text for text in asked if self._seen[text]}

    def _look(self, texts: list[str]) -> None:
        any_of_them = self._holds(_JOINT.join(text.encode() for text in texts))
        self._seen.update({text: any_of_them and self._holds(text.encode()) for text in texts})
