"""What a reply meets: a surface that anybody can look at, and the rights that it needs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from consumers.replies.sender import ReplySender
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import AnswerReady, QuestionAsked, TagsAudience, decode
from vouch.ports.surface import AfterDoubt, Delivery

Asked = Callable[..., QuestionAsked]        # makes a question: of this id, this deadline, this surface


@dataclass
class Wall:
    """A surface that anybody can look at; it fails as told, before or after the post is there."""

    before: list[Exception] = field(default_factory=list)
    after: list[Exception] = field(default_factory=list)
    posts: list[Delivery] = field(default_factory=list)
    after_doubt: AfterDoubt = "ask"

    def has(self, delivery: Delivery) -> bool:
        return any(post.question_id == delivery.question_id for post in self.posts)

    def post(self, delivery: Delivery) -> None:
        if self.before:
            raise self.before.pop(0)
        self.posts.append(delivery)
        if self.after:
            raise self.after.pop(0)


@dataclass
class Rights:
    """Which chunks may be read now."""

    readable: set[str] = field(default_factory=lambda: {"c1"})
    asked: list[tuple[TagsAudience, tuple[str, ...]]] = field(default_factory=list)

    def still_visible(self, audience: TagsAudience, chunks: Sequence[str]) -> bool:
        self.asked.append((audience, tuple(chunks)))
        return set(chunks) <= self.readable


def settle(sender: ReplySender, clock: Any, most: int = 40) -> None:
    for _ in range(most):
        if not sender.step():
            clock.now += timedelta(seconds=2)


def announced(log: EmbeddedLog) -> list[AnswerReady]:
    found = [decode("answers", record.value) for record in log.read("answers")]
    assert all(isinstance(message, AnswerReady) for message in found)
    return found  # type: ignore[return-value]
