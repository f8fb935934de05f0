"""From a message to the corrective loop and back: audiences are looked up here, each time anew."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from vouch.access import Audience
from vouch.answering.answer import Answer
from vouch.answering.compose import decline
from vouch.correction.loop import Machines, answer_question
from vouch.messages import AudienceRef, QuestionAsked
from vouch.ports import Index, PermissionStore
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
        outcome = answer_question(question, self.machines())
        return Answered(outcome.answer, outcome.candidates, outcome.given)

    def decline(self, message: QuestionAsked, reason: str) -> Answer:
        """An honest answer without evidence, made without any model."""
        return decline(self._question(message), reason, self.clock())

    def still_visible(self, audience: AudienceRef, chunk_ids: Sequence[str]) -> bool:
        return self.index.visible(self._audience(audience), chunk_ids).issuperset(chunk_ids)

    def _question(self, message: QuestionAsked) -> Question:
        return Question(
            message.id, message.text, self._audience(message.audience), message.asked_at,
            resolve=lambda: self._audience(message.audience),
        )

    def _audience(self, reference: AudienceRef) -> Audience:
        return self.permissions.permissions().directory.audience(list(reference.tags), self.clock())
