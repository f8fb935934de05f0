"""Asks questions as people would ask them, and grades what they would be shown."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from vouch.access import PUBLIC, Directory
from vouch.access_check.directory import expired, unknown
from vouch.correction.outcome import Outcome
from vouch.errors import NotFound
from vouch.filters import EVERYTHING, Filters
from vouch.learning.collections.asked import Asked, looked_at
from vouch.learning.collections.golden import GoldenQuestion, Graded, asker_of, grade
from vouch.messages import TERMINAL, QuestionAsked, TagsAudience
from vouch.ports.index import Index
from vouch.ports.stores import PermissionStore

HELD = 4                                # questions at a time: their texts share the passes of the models


@dataclass(frozen=True, slots=True)
class Wanted:
    """`tag`: who asks."""

    id: str
    text: str
    tag: str = PUBLIC
    filters: Filters = EVERYTHING


@dataclass(frozen=True)
class Asker:
    """Over what an index serves, through the code that answers people."""

    answer: Callable[[QuestionAsked], Outcome]
    index: Index
    permissions: PermissionStore
    clock: Callable[[], datetime]
    join: Callable[[], AbstractContextManager[None]]

    def ask(self, questions: Sequence[Wanted]) -> Iterator[Asked]:
        """The answers, in the order of the questions."""
        with ThreadPoolExecutor(HELD) as pool:
            yield from pool.map(self._asked, questions)

    def _asked(self, wanted: Wanted) -> Asked:
        now = self.clock()
        message = QuestionAsked(
            id=f"golden-{wanted.id}", text=wanted.text, surface=TERMINAL, asker=wanted.tag,
            audience=TagsAudience(tags=(wanted.tag,)), asked_at=now, deadline=now + timedelta(hours=1),
            filters=wanted.filters,
        )
        with self.join():
            outcome = self.answer(message)
        audience = self.permissions.permissions().directory.audience([wanted.tag], self.clock())
        ids = [row["chunk_id"] for row in outcome.candidates] + [cited.chunk_id for cited in outcome.answer.citations]
        shown = self.index.visible(audience, ids) if ids else frozenset[str]()
        return looked_at(outcome.answer, outcome.candidates, self.index.view(audience), shown)


def check_reader(directory: Directory, tag: str) -> None:
    """Raises NotFound for a reader who is not in the directory, or has expired."""
    told, gone = unknown(directory, tag), expired(directory, tag)
    if told or gone:
        raise NotFound(told or f"{tag} {gone}", cure="name a reader of the directory: --reader CORPUS=TAG")


def not_public(questions: Iterable[GoldenQuestion], readers: Mapping[str, str]) -> int:
    """How many are asked by somebody else than the public. A report names nobody."""
    return sum(asker_of(one, readers) != PUBLIC for one in questions)


@dataclass(frozen=True)
class AnswerEvaluation:
    """Over the version that is served, through the code that answers people. Nothing is stored or sent."""

    asker: Asker

    def run(
        self, questions: Sequence[GoldenQuestion], readers: Mapping[str, str]
    ) -> Iterator[tuple[Graded, Asked]]:
        """Each question with its grade and with what it was answered from, in their order.

        `readers`: by corpus the tag that its questions are asked as; whom a
        question names asks it where its corpus has none, and the public the
        others. Raises NotFound for a reader nobody knows.
        """
        wanted = [Wanted(item.id, item.text, asker_of(item, readers)) for item in questions]
        directory = self.asker.permissions.permissions().directory
        for tag in dict.fromkeys([*readers.values(), *(item.tag for item in wanted)]):
            check_reader(directory, tag)
        for question, asked in zip(questions, self.asker.ask(wanted), strict=True):
            yield grade(question, asked.answer), asked
