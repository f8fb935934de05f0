"""Asks questions with known answers as people would ask them, and grades what they would be shown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from vouch.access import PUBLIC, Directory
from vouch.access_check.names import expired, unknown
from vouch.adapters.access.watched import WatchedPermissions
from vouch.correction.outcome import Outcome
from vouch.errors import NotFound
from vouch.learning.collections.golden import GoldenQuestion, Graded, grade
from vouch.messages import TERMINAL, QuestionAsked, TagsAudience

HELD = 4                                # questions at a time: their texts share the passes of the models


def check_reader(directory: Directory, tag: str) -> None:
    """Raises NotFound for a reader nobody knows, or whose time is over."""
    told, gone = unknown(directory, tag), expired(directory, tag)
    if told or gone:
        raise NotFound(told or f"{tag} {gone}", cure="name a reader of the directory: --reader CORPUS=TAG")


@dataclass(frozen=True)
class AnswerEvaluation:
    """Over the version that is served, through the code that answers people. Nothing is stored or sent."""

    answer: Callable[[QuestionAsked], Outcome]
    watched: WatchedPermissions
    clock: Callable[[], datetime]
    join: Callable[[], AbstractContextManager[None]]

    def run(
        self, questions: Sequence[GoldenQuestion], readers: Mapping[str, str]
    ) -> Iterator[tuple[Graded, dict[str, Any]]]:
        """Each question with its grade and its answer as JSON, in their order.

        `readers`: by corpus the tag that its questions are asked as; the
        public asks the others. Raises NotFound for a reader nobody knows.
        """
        for tag in readers.values():
            check_reader(self.watched.permissions().directory, tag)
        with ThreadPoolExecutor(HELD) as pool:
            yield from pool.map(lambda one: self._graded(one, readers.get(one.corpus, PUBLIC)), questions)

    def _graded(self, question: GoldenQuestion, tag: str) -> tuple[Graded, dict[str, Any]]:
        now = self.clock()
        message = QuestionAsked(
            id=f"golden-{question.id}", text=question.text, surface=TERMINAL, asker=tag,
            audience=TagsAudience(tags=(tag,)), asked_at=now, deadline=now + timedelta(hours=1),
        )
        with self.join():
            answer = self.answer(message).answer
        return grade(question, answer), answer.model_dump(mode="json")
