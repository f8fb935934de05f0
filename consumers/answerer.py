"""From a message to the corrective loop and back: audiences are looked up here, each time anew."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vouch.access import Audience
from vouch.answering.answer import Answer
from vouch.answering.compose import decline, reply
from vouch.answering.small_talk import small_talk
from vouch.correction.loop import Machines, answer_question
from vouch.errors import Damaged, IndexDown, NotFound
from vouch.messages import AudienceRef, QuestionAsked
from vouch.ports.index import Index
from vouch.ports.permission_store import PermissionStore
from vouch.retrieval.query import Question


@dataclass(frozen=True)
class Answered:
    """What the ledger keeps of an answered question."""

    answer: Answer
    candidates: Sequence[Mapping[str, Any]]
    given: Sequence[str]


@dataclass(frozen=True)
class Answerer:
    """`machines` loads the models at its first call."""

    permissions: PermissionStore
    index: Index
    machines: Callable[[], Machines]
    clock: Callable[[], datetime]

    def answer(self, message: QuestionAsked) -> Answered:
        question = self._question(message)
        if (said := small_talk(message.text)) is not None:
            return Answered(reply(question, said, self.clock()), (), ())
        machines = self.machines()
        with _index_may_be_down():
            outcome = answer_question(question, machines)
        return Answered(outcome.answer, outcome.candidates, outcome.given)

    def decline(self, message: QuestionAsked, reason: str) -> Answer:
        """An honest answer without evidence, made without any model."""
        return decline(self._question(message), reason, self.clock(), text=reason)

    def still_visible(self, audience: AudienceRef, chunk_ids: Sequence[str]) -> bool:
        with _index_may_be_down():
            return self.index.visible(self._audience(audience), chunk_ids).issuperset(chunk_ids)

    def _question(self, message: QuestionAsked) -> Question:
        return Question(
            message.id, message.text, self._audience(message.audience), message.asked_at,
            resolve=lambda: self._audience(message.audience),
        )

    def _audience(self, reference: AudienceRef) -> Audience:
        return self.permissions.permissions().directory.audience(list(reference.tags), self.clock())


@contextmanager
def _index_may_be_down() -> Iterator[None]:
    """No index yet, or no sound version of it, is no fault of a question: it waits until there is one."""
    try:
        yield
    except (Damaged, NotFound) as error:
        raise IndexDown(error.cause, cure=error.cure) from error
