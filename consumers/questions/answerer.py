"""From a message to the corrective loop and back: audiences are looked up here, each time anew."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from vouch.access import Audience
from vouch.answering.answer import Answer
from vouch.answering.compose import decline, reply
from vouch.answering.small_talk import small_talk
from vouch.correction.components import Components
from vouch.correction.listener import Listener
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.errors import Damaged, IndexDown, NotFound
from vouch.messages import AudienceRef, QuestionAsked
from vouch.ports.index import Index
from vouch.ports.permission_store import PermissionStore
from vouch.retrieval.query import Question


def _nobody(_: QuestionAsked) -> None:
    """Nobody waits in this process."""


@dataclass(frozen=True)
class Answerer:
    """`components` loads the models at its first call."""

    permissions: PermissionStore
    index: Index
    components: Callable[[], Components]
    clock: Callable[[], datetime]
    listen: Callable[[QuestionAsked], Listener | None] = _nobody    # who is told how far a question is

    def answer(self, message: QuestionAsked) -> Outcome:
        question = self._question(message)
        if (said := small_talk(message.text)) is not None:
            return Outcome(reply(question, said, self.clock()), [], ())
        components = self.components()
        with _index_may_be_down():
            return answer_question(question, components, self.listen(message))

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
