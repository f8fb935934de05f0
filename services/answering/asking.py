"""Puts a question on the log and waits for its answer.

Where the log is embedded it answers too, as a member of the worker's group, unless a process of the home does.
"""

import threading
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from consumers.process import QUESTIONS, REPLIES, Closes
from consumers.questions.handler import too_many
from consumers.replies.sender import ReplySender
from consumers.worker.worker import Worker
from services.answering.looking import check_made_for
from services.answering.progress import Heard
from vouch.access import PUBLIC, Permissions, parse_tag
from vouch.access_check.directory import expired, unknown
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.ledger import Ledger
from vouch.errors import BadInput, Guarded, NotFound, Unavailable, Usage
from vouch.filters import EVERYTHING, Filters
from vouch.invalid import problems
from vouch.messages import (
    LONGEST_QUESTION,
    TERMINAL,
    FeedbackGiven,
    Message,
    QuestionAsked,
    QuestionProgress,
    encode,
    key_of,
    topic_of,
)
from vouch.ports.index import Index
from vouch.ports.log import Producer
from vouch.trace import Recorder, span, traced

M = TypeVar("M", bound=BaseModel)
POLL_S = 0.05
GRACE = timedelta(seconds=30)
_WHO_VOTES = "vote as somebody it was made for: --as user:NAME"


@dataclass(frozen=True)
class AskClient:
    ledger: Ledger
    watched: WatchedPermissions
    producer: Producer
    worker: Worker
    sender: ReplySender
    stop: threading.Event
    clock: Callable[[], datetime]
    deadline: timedelta
    ready: Callable[[], object]
    index: Index
    others: Callable[[], Collection[str]] = frozenset   # of QUESTIONS and REPLIES, what is left to other processes
    per_minute: int = 0                 # questions of one asker; 0: any number
    components: Sequence[Closes] = ()     # closed with it
    record: Recorder | None = None      # takes the spans of what is asked
    heard: Heard | None = None          # how far questions are

    def permissions(self) -> Permissions:
        return self.watched.permissions()

    def ask(
        self, text: str, tags: Sequence[str], thread: str | None = None,
        tell: Callable[[QuestionProgress], object] | None = None, *, share_question: bool = False,
        filters: Filters = EVERYTHING, steps: int | None = None,
    ) -> dict[str, Any]:
        """The answer as its surface got it. With `thread`, what was asked under that name before helps to understand.

        `tell` hears how far it is, whoever answers, as far as the log tells.
        `steps`: how many further ones it may take; None: as is set.
        `share_question`: owners of documents may see it. Only one person can let them: else Usage or NotFound.
        Raises NotFound before the first ingest, Guarded when the asker asks too
        much, Unavailable when none comes.
        """
        self.ready()
        now = self.clock()
        readers = tuple(tags) or (PUBLIC,)
        if share_question:
            self._check_known(readers[0], "only one person can let a question be shared", "share it")
        question = _message(
            QuestionAsked, id=uuid.uuid4().hex, text=text, surface=TERMINAL, asker=readers[0],
            audience={"tags": readers}, thread=thread, asked_at=now, deadline=now + self.deadline,
            share_question=share_question, filters=filters, steps=steps,
        )
        wait = self.ledger.pace.wait(question.asker, now, self.per_minute) if self.per_minute else None
        if wait:
            raise Guarded(too_many(self.per_minute, wait), cure="VOUCH_ASKING__PER_MINUTE sets how many")
        heard = self.heard if tell is not None and self.heard is not None and self.heard.begin() else None
        with traced(question.id, self.record), span("ask", question=question.id, surface=TERMINAL):
            self._send(question)
            return self._answer_to(question, now + self.deadline + GRACE, heard, tell)

    def feedback(
        self, answer_id: str, person: str, vote: str, reason: str | None, category: str | None = None
    ) -> dict[str, Any]:
        """Returns the vote once the ledger has it. The first digits of an id are enough.

        Raises NotFound for an unknown person and for an answer that is unknown or not made for this one, Denied if
        what it was made from may not be read any more, Usage for a group.
        """
        answer_id = self.ledger.answers.get(answer_id)["id"]
        self._check_voter(person)
        check_made_for(self.ledger.sent.find(answer_id), parse_tag(person), self._principals, self.index, _WHO_VOTES)
        now = self.clock()
        fields = {"vote": vote, "category": category, "reason": reason}
        message = _message(FeedbackGiven, answer_id=answer_id, person=person, at=now, **fields)
        self._send(message)
        while self.clock() < now + GRACE:
            if any(v.person == message.person and v.at >= message.at for v in self.ledger.feedback.list(answer_id)):
                return {"answer_id": answer_id, "person": message.person, **fields}
            self._turn()
        raise Unavailable(f"the vote on {answer_id} is on the log but not yet counted", cure="look at: vouch doctor")

    def _principals(self, tag: str) -> frozenset[str]:
        return self.permissions().directory.reader(tag, self.clock()).principals

    def _check_voter(self, person: str) -> None:
        if parse_tag(person) != PUBLIC:
            self._check_known(person, "a vote is one person's", "vote")

    def _check_known(self, person: str, why: str, what: str) -> None:
        """One person, as `why` says; several unknown ones could be the same."""
        tag, cure = parse_tag(person), f"{what} as a person of the directory: --as user:NAME"
        if not tag.startswith("user:"):
            raise Usage(f"{tag} is {'nobody in particular' if tag == PUBLIC else 'a group'}, and {why}", cure=cure)
        directory = self.permissions().directory
        told, gone = unknown(directory, tag), expired(directory, tag)
        if told or gone:
            raise NotFound(told or f"{tag} {gone}", cure=cure)

    def close(self) -> None:
        """Leaves the log's consumer group, so that another member can go on at once."""
        self.stop.set()
        if self.heard is not None:
            self.heard.close()
        for machine in self.components:
            machine.close()

    def _answer_to(
        self, question: QuestionAsked, until: datetime, heard: Heard | None,
        tell: Callable[[QuestionProgress], object] | None,
    ) -> dict[str, Any]:
        newest: QuestionProgress | None = None
        while self.clock() < until:
            while heard is not None and tell is not None and (message := heard.next(0.0)) is not None:
                if message.question_id == question.id and message.newer(newest):
                    newest = message
                    tell(message)
            answer = self.ledger.surface.read(question.id)
            if answer is not None:
                return answer
            self._turn()
        cure = "is a vouch worker running? look at: vouch doctor"
        raise Unavailable(f"no answer to question {question.id} came in time", cure=cure)

    def _turn(self) -> None:
        """A little work, if nobody else does it, then another look.

        Who began to take messages goes on: what it holds nobody else reads.
        """
        others = self.others()
        if QUESTIONS not in others or self.worker.reading:
            self.worker.step(POLL_S, hold=1)    # one of others at most, as this process ends with its own answer
        else:
            self.stop.wait(POLL_S)
        while REPLIES not in others and self.sender.step():
            pass

    def _send(self, message: Message) -> None:
        with span("log"):
            self.producer.send(topic_of(message), key_of(message), encode(message))


_FORMS = {
    "text": f"a question has up to {LONGEST_QUESTION:,} characters", "person": "a person is user:NAME",
    "asker": "a person is user:NAME", "thread": "a thread has up to 200 characters without blanks",
    "reason": "a reason has up to 2,000 characters",
}  # fmt: skip


def _message(kind: type[M], **fields: Any) -> M:
    """The message. Raises BadInput naming each field that cannot be sent."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        named = [name for name in _FORMS if any(name in one["loc"] for one in error.errors())]
        cure = ", ".join(dict.fromkeys(_FORMS[name] for name in named or _FORMS))
        raise BadInput(problems(error.errors()), cure=cure) from error
