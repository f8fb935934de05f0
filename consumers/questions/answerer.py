"""From a message to the corrective loop and back: audiences are looked up here, each time anew."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from vouch.access import PUBLIC, Audience, Directory
from vouch.answering.answer import Answer
from vouch.answering.compose import decline, reply
from vouch.answering.small_talk import small_talk
from vouch.correction.components import Components
from vouch.correction.listener import Listener
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.errors import Damaged, IndexDown, NotFound, Usage
from vouch.messages import AudienceRef, ConversationAudience, QuestionAsked
from vouch.ports.conversations import Conversations
from vouch.ports.index import Index
from vouch.ports.permission_store import PermissionStore
from vouch.retrieval.query import Question


def _nobody(_: QuestionAsked) -> None:
    """Nobody waits in this process."""


@dataclass(frozen=True)
class Answerer:
    """`components` loads the models at its first call; `conversations`, by surface, tell who reads along there."""

    permissions: PermissionStore
    index: Index
    components: Callable[[], Components]
    clock: Callable[[], datetime]
    conversations: Mapping[str, Conversations] = field(default_factory=dict)
    listen: Callable[[QuestionAsked], Listener | None] = _nobody    # who is told how far a question is

    def answer(self, message: QuestionAsked) -> Outcome:
        question = self._question(message)
        if (said := small_talk(message.text)) is not None:
            return Outcome(reply(question, said, self.clock()), [], ())
        components = self.components()
        with _index_may_be_down():
            return answer_question(question, components, self.listen(message))

    def decline(self, message: QuestionAsked, reason: str) -> Answer:
        """An honest answer without evidence, made without any model, and whoever may read it."""
        nobody_special = Directory().audience([PUBLIC], self.clock())
        question = Question(message.id, message.text, nobody_special, message.asked_at)
        return decline(question, reason, self.clock(), text=reason)

    def still_visible(self, audience: AudienceRef, chunk_ids: Sequence[str]) -> bool:
        with _index_may_be_down():
            return self.index.visible(self._audience(audience), chunk_ids).issuperset(chunk_ids)

    def _question(self, message: QuestionAsked) -> Question:
        return Question(
            message.id, message.text, self._audience(message.audience), message.asked_at,
            resolve=lambda: self._audience(message.audience), surface=message.surface,
            outside=message.outside,
        )

    def _audience(self, reference: AudienceRef) -> Audience:
        tags = self._readers(reference) if isinstance(reference, ConversationAudience) else reference.tags
        return self.permissions.permissions().directory.audience(list(tags), self.clock())

    def _readers(self, reference: ConversationAudience) -> tuple[str, ...]:
        surface = self.conversations.get(reference.surface)
        if surface is None:
            raise Usage(f"this process cannot tell who reads along on {reference.surface:.60}",
                        cure="give worker and sender the settings of that surface")
        return surface.readers(reference.conversation)


@contextmanager
def _index_may_be_down() -> Iterator[None]:
    """No index yet, or no sound version of it, is no fault of a question: it waits until there is one."""
    try:
        yield
    except (Damaged, NotFound) as error:
        raise IndexDown(error.cause, cure=error.cure) from error
