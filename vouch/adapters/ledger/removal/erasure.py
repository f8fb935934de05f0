"""Takes a document out of answers, votes, labels and reports. What an answer was made from decides, then its words."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Table, delete, select, update

from vouch.adapters.ledger.answers.answers import raise_erasures
from vouch.adapters.ledger.answers.outbox import UNDER_WAY
from vouch.adapters.ledger.conversations.changed_questions import forget_old
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import (
    acts,
    answer_steps,
    answers,
    candidates,
    changed_questions,
    directory,
    example_choices,
    feedback,
    flow_runs,
    former_rules,
    labels,
    metadata,
    outbox,
    purges,
    rulebooks,
    runs,
    slack_channels,
    sources,
    stat_cache,
    versions,
)
from vouch.adapters.ledger.permissions.restrictions import forget_places, lock_pointers
from vouch.adapters.ledger.registry.models import MODELS_TURN
from vouch.adapters.ledger.removal.handed_over import clean_handed_over, words_of_drafts
from vouch.adapters.ledger.removal.question_labels import count_labels_of, drop_labels_of, keys_of
from vouch.adapters.ledger.removal.registered_models import clean_models, models_with
from vouch.adapters.ledger.removal.steps import clean_steps
from vouch.adapters.ledger.removal.word_search import Holds, WordSearch, as_json
from vouch.adapters.ledger.usage.labels import TURN
from vouch.answering.answer import REMOVED, removed_answer
from vouch.batches import batches

Place = tuple[str, str]                 # source, path

_READ_AT_ONCE = 200


@dataclass(frozen=True)
class Target:
    """The document as the ledger knows it: its places, the ids of its chunks, and a test for its words."""

    places: Collection[Place]
    chunk_ids: Collection[str]
    holds: Holds


@dataclass(frozen=True, slots=True)
class Erased:
    """How many answers were reduced to stubs, candidates of others and labels deleted, votes and reports cleaned."""

    answers: int
    candidates: int
    votes: int
    labels: int
    reports: int


class Erasure:
    def __init__(self, database: Database) -> None:
        self._database = database

    def made_from(self, target: Target) -> dict[str, str]:
        """Answer id → question id of the answers whose words may be the target's, or that hold some of its words.

        To be called once no version holds the target: no answer that was begun before is recorded after this.
        """
        with self._database.write() as connection:
            raise_erasures(connection)
        query = select(answers.c.answer_id, answers.c.question_id, answers.c.body, outbox.c.given, outbox.c.question,
                       outbox.c.note)
        query = query.outerjoin(outbox, outbox.c.question_id == answers.c.question_id)
        with self._database.read() as connection:
            return {
                row.answer_id: row.question_id
                for row in connection.execution_options(yield_per=_READ_AT_ONCE).execute(query)
                if _was_given(row.body, row.given or (), target) or target.holds(_bytes(row))
            }

    def question_keys(self, answer_ids: Collection[str]) -> set[str]:
        """Of the questions of these answers, as labels have them; nobody can tell once the answers are reduced."""
        with self._database.read() as connection:
            return keys_of(connection, answer_ids)

    def labels_left(self, question_keys: Collection[str]) -> int:
        with self._database.read() as connection:
            return count_labels_of(connection, question_keys)

    def models_with(self, holds: Holds) -> list[str]:
        """Names of models that hold such words themselves, which only their retirement takes away."""
        with self._database.read() as connection:
            return models_with(connection, holds)

    def erase(
        self, target: Target, made_from: Collection[str], before: Collection[str], question_keys: Collection[str] = ()
    ) -> Erased:
        """Afterwards the ledger holds no words of the target, but for questions that wait, and `models_with`.

        `made_from` are the answers to reduce; `before` may hold further ones, which an earlier run has reduced;
        of the questions with `question_keys` no label is left.

        An answer made from it keeps ids and times; if nobody has seen it yet,
        it is given chunks that nobody may read, so that it is made anew before
        it is sent. Write transactions stay short; a killed run is run again.
        """
        for ids in batches(sorted(made_from), _READ_AT_ONCE):
            with self._database.write(TURN) as connection:  # as `Expiry`, which locks the same rows the other way round
                for answer_id in ids:
                    _reduce(connection, answer_id)
        words = WordSearch(target.holds)
        with self._database.read() as connection:           # the long search, while others write
            words.quoting(row.reason for row in _reasons(connection))
            words.quoting(row.question for row in _questions(connection))
            words.quoting(words_of_drafts(connection))
            words.quoting(row.text for row in _changed(connection))
            words.quoting(row.cause for row in _causes(connection))
        with self._database.write(TURN) as connection:      # in which only what came since is searched
            gone = _drop_candidates(connection, target.chunk_ids)
            clean_steps(connection, target.places, target.chunk_ids)
            votes = _clean_votes(connection, {*made_from, *before}, words)
            forgotten = _drop_labels(connection, {*made_from, *before}, target.chunk_ids, words)
            forgotten += drop_labels_of(connection, question_keys)
            reports = _clean_reports(connection, target)
            _clean_causes(connection, words)
            answer_ids = {*made_from, *before}
            clean_handed_over(connection, target.places, answer_ids, lambda text: bool(words.quoting([text])))
            forget_old(connection, datetime.now(UTC))
            _take_back_changed(connection, words)
        with self._database.write(MODELS_TURN) as connection:
            clean_models(connection, target.holds)
        with self._database.write() as connection:          # who records an answer locks its rows before the pointers
            lock_pointers(connection)
            forget_places(connection, target.places)
            for source, path in target.places:
                here = (stat_cache.c.source == source) & (stat_cache.c.path == path)
                connection.execute(delete(stat_cache).where(here))
        return Erased(len(made_from), gone, votes, forgotten, reports)

    def values(self) -> Iterator[bytes]:
        """Every text, blob and JSON in every table, for a search."""
        return self._values(metadata.sorted_tables)

    def kept(self) -> Iterator[bytes]:
        """Those of the tables that a purge leaves as they are: names of places, rules, people, versions, choices."""
        named = [sources, stat_cache, rulebooks, former_rules, directory, versions, purges, example_choices,
                 slack_channels, acts]
        return self._values(named)

    def _values(self, tables: Iterable[Table]) -> Iterator[bytes]:
        for table in tables:
            with self._database.read() as connection:
                for row in connection.execution_options(yield_per=_READ_AT_ONCE).execute(select(table)):
                    for value in row:
                        if isinstance(value, str):
                            yield value.encode()
                        elif isinstance(value, dict | list):
                            yield json.dumps(value, ensure_ascii=False).encode()

    def scour(self) -> None:
        """On SQLite nothing that was deleted is left in the file; a server looks after its own. Raises Busy."""
        self._database.scour()


def _was_given(body: Mapping[str, Any], given: Collection[str], target: Target) -> bool:
    cited = body.get("citations", ())
    if any((one.get("source"), one.get("path")) in target.places for one in cited):
        return True
    ids = {*given, *(one.get("chunk_id") for one in cited)}
    return not ids.isdisjoint(target.chunk_ids)


def _bytes(row: Any) -> bytes:
    return json.dumps([row.body, row.question, row.note], ensure_ascii=False).encode()


def _reduce(connection: Connection, answer_id: str) -> None:
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


def _drop_candidates(connection: Connection, chunk_ids: Collection[str]) -> int:
    count = 0
    for ids in batches(sorted(chunk_ids), _READ_AT_ONCE):
        count += connection.execute(delete(candidates).where(candidates.c.chunk_id.in_(ids))).rowcount
        connection.execute(update(candidates).where(candidates.c.seed.in_(ids)).values(seed=None))
    return count


def _reasons(connection: Connection) -> Sequence[Any]:
    return connection.execute(select(feedback).where(feedback.c.reason.is_not(None))).all()


def _clean_votes(connection: Connection, made_from: Collection[str], words: WordSearch) -> int:
    """Votes stay; reasons that may quote go."""
    rows = _reasons(connection)
    quoting = words.quoting(row.reason for row in rows)
    cleaned = [row for row in rows if row.answer_id in made_from or row.reason in quoting]
    for row in cleaned:
        mine = (feedback.c.answer_id == row.answer_id) & (feedback.c.person == row.person)
        connection.execute(update(feedback).where(mine).values(reason=None))
    return len(cleaned)


def _questions(connection: Connection) -> Sequence[Any]:
    """Under one key there may be several, which differ in capitals and spaces."""
    return connection.execute(select(labels.c.question_key, labels.c.question).distinct()).all()


def _drop_labels(
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
        for some in batches(sorted(set(values)), _READ_AT_ONCE):
            count += connection.execute(delete(labels).where(column.in_(some))).rowcount
    return count


def _changed(connection: Connection) -> Sequence[Any]:
    return connection.execute(select(changed_questions).where(changed_questions.c.text.is_not(None))).all()


def _take_back_changed(connection: Connection, words: WordSearch) -> None:
    """A question that was changed into words of the document is taken back: its former words are not what was asked."""
    rows = _changed(connection)
    quoting = words.quoting(row.text for row in rows)
    for row in rows:
        if row.text in quoting:
            mine = changed_questions.c.question_id == row.question_id
            connection.execute(update(changed_questions).where(mine).values(text=None))


def _clean_reports(connection: Connection, target: Target) -> int:
    """Reports keep their counts and paths; a reason why a document could not be read may quote it."""
    paths = {path for _, path in target.places}
    count = 0
    for row in connection.execute(select(runs)).all():
        report = dict(row.report)
        problems = [
            {**problem, "reason": REMOVED}
            if problem.get("path") in paths or target.holds(as_json(problem)) else problem
            for problem in report.get("problems", ())
        ]
        if problems != list(report.get("problems", ())):
            report["problems"] = problems
            connection.execute(update(runs).where(runs.c.id == row.id).values(report=report))
            count += 1
    return count


def _causes(connection: Connection) -> Sequence[Any]:
    return connection.execute(select(flow_runs).where(flow_runs.c.cause.is_not(None))).all()


def _clean_causes(connection: Connection, words: WordSearch) -> None:
    """Why a run failed may name what it failed at; words of the document go."""
    rows = _causes(connection)
    quoting = words.quoting(row.cause for row in rows)
    for row in rows:
        if row.cause in quoting:
            connection.execute(update(flow_runs).where(flow_runs.c.id == row.id).values(cause=REMOVED))
