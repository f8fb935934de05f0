"""Takes a document out of answers, votes, labels and reports. What an answer was made from decides, then its words."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete

from vouch.adapters.ledger.answers.answers import raise_erasures
from vouch.adapters.ledger.conversations.changed_questions import forget_old
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.engine.schema import stat_cache
from vouch.adapters.ledger.permissions.restrictions import Place, forget_places, lock_pointers
from vouch.adapters.ledger.registry.models import MODELS_TURN
from vouch.adapters.ledger.removal.handed_over import clean_handed_over, words_of_drafts
from vouch.adapters.ledger.removal.labels import (
    count_labels_of,
    drop_labels,
    drop_labels_of,
    keys_of,
    questions_of_labels,
)
from vouch.adapters.ledger.removal.quoting_texts import (
    clean_causes,
    clean_reports,
    clean_votes,
    take_back_changed,
    texts_beside_answers,
)
from vouch.adapters.ledger.removal.reduced_answers import answers_made_from, drop_candidates, reduce_answer
from vouch.adapters.ledger.removal.registered_models import clean_models, models_with
from vouch.adapters.ledger.removal.steps import clean_steps
from vouch.adapters.ledger.removal.table_values import values_kept, values_of_all
from vouch.adapters.ledger.removal.word_search import Holds, WordSearch
from vouch.adapters.ledger.usage.labels import TURN
from vouch.batches import batches

_REDUCED_AT_ONCE = 200


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
        with self._database.read() as connection:
            return answers_made_from(connection, target.places, target.chunk_ids, target.holds)

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
        for ids in batches(sorted(made_from), _REDUCED_AT_ONCE):
            with self._database.write(TURN) as connection:  # as `Expiry`, which locks the same rows the other way round
                for answer_id in ids:
                    reduce_answer(connection, answer_id)
        with self._database.write(TURN) as connection:
            clean_steps(connection, target.places, target.chunk_ids)
        words = WordSearch(target.holds)
        with self._database.read() as connection:           # the long search, while others write
            words.quoting(texts_beside_answers(connection))
            words.quoting(questions_of_labels(connection))
            words.quoting(words_of_drafts(connection))
        with self._database.write(TURN) as connection:      # in which only what came since is searched
            gone = drop_candidates(connection, target.chunk_ids)
            votes = clean_votes(connection, {*made_from, *before}, words)
            forgotten = drop_labels(connection, {*made_from, *before}, target.chunk_ids, words)
            forgotten += drop_labels_of(connection, question_keys)
            reports = clean_reports(connection, target.places, target.holds)
            clean_causes(connection, words)
            answer_ids = {*made_from, *before}
            clean_handed_over(connection, target.places, answer_ids, lambda text: bool(words.quoting([text])))
            forget_old(connection, datetime.now(UTC))
            take_back_changed(connection, words)
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
        return values_of_all(self._database)

    def kept(self) -> Iterator[bytes]:
        """Those of the tables that a purge leaves as they are: names of places, rules, people, versions, choices."""
        return values_kept(self._database)

    def scour(self) -> None:
        """On SQLite nothing that was deleted is left in the file; a server looks after its own. Raises Busy."""
        self._database.scour()
