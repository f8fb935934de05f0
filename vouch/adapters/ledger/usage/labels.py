"""Labels: judged by people, or made from answers, and then made anew with all of an answer's labels at once."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from sqlalchemy import ColumnElement, Connection, Select, String, and_, case, cast, delete, func, insert, select, true

from vouch.access import PUBLIC
from vouch.adapters.ledger.answers.answers import refuse_overtaken
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import answers, labels, outbox
from vouch.batches import batches
from vouch.errors import Usage
from vouch.learning.labels.label import Label, Source

_BATCH = 500
TURN = "labels"                         # of all who write several of them
_FIELDS = (
    "question", "audience", "chunk_id", "text_hash", "version", "relevance", "source", "weight", "at", "person",
    "answer_id", "position",
)  # fmt: skip
_SELECTED = select(*(labels.c[name] for name in _FIELDS))


class Labels:
    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, given: Iterable[Label], began: int | None = None, *, keep_newer: bool = False) -> int:
        """All of them or none; one with a known key takes its place; with `keep_newer` a newer one stays.

        How many gave way to a newer one. `began`: what `Answers.erasures` said before the passages were looked up.
        Raises Overtaken if documents were purged since; None if the labels came from elsewhere.
        """
        rows = {label.key: label for label in given}
        with self._database.write(TURN) as connection:
            older = _older(connection, rows) if keep_newer else set[str]()
            taken = [label for key, label in rows.items() if key not in older]
            _delete(connection, [label.key for label in taken])
            _insert(connection, taken)
            if began is not None:
                refuse_overtaken(connection, began)
        return len(older)

    def replace_derived(self, answer_ids: Collection[str], made: Iterable[Label], began: int | None = None) -> int:
        """What was made from these answers is `made` alone, in one transaction; judgments stay. How many there are.

        Only what differs is written. Labels of an answer that is gone by now are left out. `began` as of `put`.
        Raises Usage for a label of another answer, or a judgment.
        """
        ids = sorted(set(answer_ids))
        rows = {label.key: label for label in made}
        if any(label.answer_id not in set(ids) or label.source == "judged" for label in rows.values()):
            raise Usage("a label that was not made from these answers")
        with self._database.write(TURN) as connection:
            there, known = set[str](), dict[str, Label]()
            for some in batches(ids, _BATCH):
                query = select(answers.c.answer_id).where(answers.c.answer_id.in_(some)).order_by(answers.c.answer_id)
                there |= set(connection.execute(query.with_for_update(read=True, key_share=True)).scalars())
                mine = labels.c.answer_id.in_(some) & (labels.c.source != "judged")
                known |= {label.key: label for label in _found(connection, _SELECTED.where(mine))}
            rows = {key: label for key, label in rows.items() if label.answer_id in there}
            _delete(connection, sorted(key for key, label in known.items() if rows.get(key) != label))
            _insert(connection, [label for key, label in rows.items() if known.get(key) != label])
            if began is not None:
                refuse_overtaken(connection, began)
        return len(rows)

    def list(self, sources: Collection[Source] | None = None, since: datetime | None = None) -> list[Label]:
        """By time and key; of some sources only, or from that moment on."""
        query = _SELECTED.order_by(labels.c.at, labels.c.key)
        if sources is not None:
            query = query.where(labels.c.source.in_(list(sources)))
        if since is not None:
            query = query.where(labels.c.at >= since)
        with self._database.read() as connection:
            return _found(connection, query)

    def of_newest(
        self, most: int, *, sources: Collection[Source] = get_args(Source), audience: Sequence[str] | None = None
    ) -> Sequence[Label]:
        """By time and key, those of `most` answers and those without one; of no other audience, if one is given.

        Answers that somebody judged come first; then the newest of each asker, the one before of each, and so on:
        whoever asks a lot drives out nobody else.
        """
        wanted = and_(labels.c.source.in_(list(sources)), true() if audience is None else (
            cast(labels.c.audience, String) == json.dumps(list(audience))))
        taken = labels.c.answer_id.is_(None) | labels.c.answer_id.in_(_in_turns(wanted, most))
        with self._database.read() as connection:
            return _found(connection, _SELECTED.where(wanted, taken).order_by(labels.c.at, labels.c.key))

    def delete(self, keys: Collection[str]) -> int:
        """How many there were."""
        with self._database.write(TURN) as connection:
            return _delete(connection, sorted(set(keys)))


def _in_turns(wanted: ColumnElement[bool], most: int) -> Select[Any]:
    """Their ids. Of an answer whose question is gone by now whoever is behind a label stands for its asker."""
    judged = case((labels.c.source == "judged", 1), else_=0)
    each = (
        select(labels.c.answer_id, func.max(judged).label("judged"), func.max(labels.c.at).label("newest"),
               func.max(labels.c.person).label("person"))
        .where(wanted, labels.c.answer_id.is_not(None)).group_by(labels.c.answer_id).subquery()
    )  # fmt: skip
    asker = func.coalesce(outbox.c.question["asker"].as_string(), each.c.person, PUBLIC)
    newest_first = (each.c.newest.desc(), each.c.answer_id.desc())
    turn = func.row_number().over(partition_by=(each.c.judged, asker), order_by=newest_first)
    lined_up = (
        select(each, turn.label("turn"))
        .outerjoin(answers, answers.c.answer_id == each.c.answer_id)
        .outerjoin(outbox, outbox.c.question_id == answers.c.question_id)
        .subquery()
    )
    of = lined_up.c
    chosen = select(of.answer_id).order_by(of.judged.desc(), of.turn, of.newest.desc(), of.answer_id.desc())
    return select(chosen.limit(most).subquery().c.answer_id)


def _found(connection: Connection, query: Select[Any]) -> list[Label]:
    return [Label(**{**row, "audience": tuple(row["audience"])}) for row in connection.execute(query).mappings()]


def _older(connection: Connection, rows: Mapping[str, Label]) -> set[str]:
    """The keys of those of which a newer one is there."""
    found = set[str]()
    for some in batches(list(rows), _BATCH):
        known = connection.execute(select(labels.c.key, labels.c.at).where(labels.c.key.in_(some)))
        found |= {key for key, at in known if rows[key].at < at}
    return found


def _insert(connection: Connection, rows: Sequence[Label]) -> None:
    for some in batches(rows, _BATCH):
        connection.execute(insert(labels), [
            {name: getattr(label, name) for name in _FIELDS}
            | {"key": label.key, "question_key": label.question_key, "audience": list(label.audience)}
            for label in some
        ])  # fmt: skip


def _delete(connection: Connection, keys: Sequence[str]) -> int:
    gone = (connection.execute(delete(labels).where(labels.c.key.in_(some))) for some in batches(keys, _BATCH))
    return sum(done.rowcount for done in gone)
