"""One thread of questions, answered one after the other by the real answerer over documents in memory or on a disk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from consumers.questions.answerer import Answerer
from vouch.adapters.ledger import EarlierQuestion
from vouch.correction.components import Components
from vouch.correction.outcome import Outcome
from vouch.messages import QuestionAsked
from vouch.ports.index import Index
from vouch.ports.stores import PermissionStore


@dataclass
class Thread:
    """`together`: its questions are asked in a conversation, where `readers` are who reads along."""

    permissions: PermissionStore
    index: Index
    components: Components
    now: Callable[[], datetime]
    readers: Sequence[str] = ("public",)
    together: bool = False
    before: list[EarlierQuestion] = field(default_factory=list)

    def ask(self, text: str, **more: Any) -> Outcome:
        """As the readers of now, of whom the first asks."""
        audience = {"surface": "room", "conversation": "c", "kind": "conversation"} if self.together else {
            "tags": tuple(self.readers)}
        number = len(self.before)
        message = QuestionAsked.model_validate({
            "id": f"q{number}", "text": text, "surface": "room", "asker": self.readers[0], "audience": audience,
            "thread": "t", "asked_at": self.now() + timedelta(seconds=number), **more})
        outcome = self._answerer().answer(message)
        self.before.insert(0, EarlierQuestion(message, outcome.answer.model_dump(mode="json"), outcome.given))
        return outcome

    def _answerer(self) -> Answerer:
        return Answerer(self.permissions, self.index, lambda: self.components, self.now, {"room": _Room(self)},
                        earlier=lambda _: list(self.before))


@dataclass
class _Room:
    thread: Thread

    def readers(self, conversation: str, *, anew: bool = False) -> tuple[str, ...]:
        return tuple(self.thread.readers)

    def is_thread(self, thread: str) -> bool:
        return True

    def asked_alone(self, question_id: str, thread: str) -> str:
        return ""
