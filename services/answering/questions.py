"""Questions of people who are signed in: asked by the log, and each look at an answer checked for whoever looks."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from services.answering.question_ids import QuestionIds
from vouch.access import PUBLIC
from vouch.adapters.ledger import Ledger
from vouch.errors import BadInput, Denied, Guarded, NotFound, Unavailable
from vouch.invalid import problems
from vouch.messages import FeedbackGiven, Message, QuestionAsked, TagsAudience, encode, key_of, topic_of
from vouch.ports.index import Index
from vouch.ports.log import Producer
from vouch.ports.permission_store import PermissionStore
from vouch.wording import count

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class QuestionService:
    """Implements the Questions of `bots.http.backend`, for one surface. It loads no model and answers nothing."""

    ledger: Ledger
    permissions: PermissionStore
    index: Index
    producer: Producer
    ids: QuestionIds
    surface: str
    clock: Callable[[], datetime]
    deadline: timedelta
    per_minute: int = 0

    def ask(self, text: str, readers: Sequence[str], once: str | None = None, follows: str | None = None) -> str:
        """Everybody in `readers` sees the answer, so it is made from what all of them may read."""
        now, thread = self.clock(), follows and self._thread(follows, readers[0])
        named = self.ids.new(readers[0], text, [*readers, *([thread] if thread else [])], once)
        question = _message(
            QuestionAsked, id=named, text=text, surface=self.surface, asker=readers[0],
            audience={"tags": tuple(readers)}, thread=thread or named, asked_at=now, deadline=now + self.deadline,
        )
        self._refuse_haste(question, now)
        self._refuse_before_first_index(readers)
        self._send(question)
        return question.id

    def is_sent(self, question_id: str) -> bool:
        return self.ledger.surface.read(question_id) is not None

    def look(self, named: str, reader: str) -> Mapping[str, Any] | None:
        """Who was not among the readers it was made for is told what is told of an answer that does not exist."""
        sent = self.ledger.sent.find(named)
        if sent is None:
            if self.ids.is_of(named, reader) and not self._is_gone(named):
                return None
            raise _unknown()
        made_for = sent.question.audience       # who is in a conversation elsewhere reads its answers there
        if not isinstance(made_for, TagsAudience) or not {reader, PUBLIC} & set(made_for.tags):
            raise _unknown()
        if not self.may_read(reader, sent.given):
            raise Denied("what this answer was made from has changed, or you may not read it any more",
                         cure="ask again")
        return sent.body

    def is_asker(self, question_id: str, reader: str) -> bool:
        return self.ids.is_of(question_id, reader)

    def may_read(self, reader: str, chunk_ids: Sequence[str]) -> bool:
        audience = self.permissions.permissions().directory.audience([reader], self.clock())
        return self.index.visible(audience, chunk_ids).issuperset(chunk_ids)

    def vote(
        self, answer_id: str, reader: str, vote: str, reason: str | None, category: str | None = None
    ) -> None:
        """Raises Denied for the public: strangers would take each other's vote away."""
        body = self.look(answer_id, reader)
        if reader == PUBLIC:
            raise Denied("a vote is one person's, and nobody is signed in", cure="sign in to vote")
        if body is None:
            raise _unknown()
        self._send(_message(FeedbackGiven, answer_id=body["id"], person=reader, vote=vote, reason=reason,
                            category=category, at=self.clock()))

    def _thread(self, follows: str, reader: str) -> str | None:
        """Of an answer that the reader may see; None while there is none."""
        if self.look(follows, reader) is None:
            return None
        sent = self.ledger.sent.find(follows)
        return None if sent is None else sent.question.thread or sent.question.id

    def _is_gone(self, question_id: str) -> bool:
        """Whether it was answered, and the answer deleted since."""
        answers = self.ledger.answers
        return answers.answered(question_id) and answers.by_question(question_id) is None

    def _refuse_haste(self, question: QuestionAsked, now: datetime) -> None:
        wait = self.ledger.pace.wait(question.asker, now, self.per_minute) if self.per_minute else None
        if wait:
            seconds = max(1, math.ceil(wait.total_seconds()))
            raise Guarded(f"you have asked {count(self.per_minute, 'question')} within a minute, and more are refused",
                          cure=f"ask again in {count(seconds, 'second')}")

    def _refuse_before_first_index(self, readers: Sequence[str]) -> None:
        try:
            self.index.visible(self.permissions.permissions().directory.audience(list(readers), self.clock()), [])
        except NotFound as error:
            raise Unavailable("nothing has been ingested yet", cure="run: vouch ingest") from error

    def _send(self, message: Message) -> None:
        self.producer.send(topic_of(message), key_of(message), encode(message))


def _unknown() -> NotFound:
    return NotFound("there is no such answer, or it was not made for you", cure="ask the question yourself")


def _message(kind: type[M], **fields: Any) -> M:
    """The message. Raises BadInput naming each field that cannot be sent."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise BadInput(problems(error.errors()), cure="at most 4,000 characters; 2,000 for a reason") from error
