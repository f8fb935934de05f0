"""Questions of people who are signed in: asked by the log, and each look at an answer checked for whoever looks."""

import logging
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from services.answering.askers import QuestionIds, Turns, Unlimited, refuse_owners, untold
from services.answering.looking import check_readable, is_made_for, unknown
from vouch.access import PUBLIC
from vouch.adapters.ledger import Ledger, SentAnswer
from vouch.answering.answer import REMOVED
from vouch.answering.standing import as_it_stands, stands
from vouch.errors import BadInput, Conflict, Denied, Guarded, NotFound, NothingIngested
from vouch.filters import EVERYTHING, Filters
from vouch.invalid import problems
from vouch.messages import (
    LONGEST_QUESTION,
    FeedbackGiven,
    Message,
    QuestionAsked,
    TagsAudience,
    encode,
    key_of,
    topic_of,
)
from vouch.plurals import count
from vouch.ports.index import Index
from vouch.ports.log import Producer
from vouch.ports.stores import PermissionStore
from vouch.trace import Recorder, current_request, span, traced

M = TypeVar("M", bound=BaseModel)
_log = logging.getLogger(__name__)
_THREAD, _IN_THREAD = timedelta(days=90), 10
_HISTORY = 100                          # of one's own questions


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
    turns: Turns = field(default_factory=Unlimited)     # of people by name
    strangers: Turns = field(default_factory=Unlimited)     # of those who are not known, by address
    record: Recorder | None = None      # takes the spans of what is asked

    def ask(
        self, text: str, readers: Sequence[str], once: str | None = None, follows: str | None = None,
        share_question: bool = False, filters: Filters = EVERYTHING, *, asker: str = "",
        acts_for: Collection[str] = (), stranger: str = "", steps: int | None = None,
    ) -> str:  # fmt: skip
        """Everybody in `readers` sees the answer, so it is made from what all of them may read."""
        if not text.strip():
            raise BadInput("the question is empty", cure="write a question")
        if asker and not self._acts(acts_for, readers):
            raise Denied("you may not ask for all of these readers", cure="VOUCH_HTTP__BEARER_ASKS_FOR names yours")
        asker, now = asker or readers[0], self.clock()
        if filters.owners:              # a program that is not known learns nothing on behalf of those who are
            refuse_owners(filters, self.permissions.permissions().directory.audience([asker], now))
        thread = follows and self._thread(follows, asker, acts_for)
        narrowed = [*([filters.model_dump_json()] if filters else []), *([] if steps is None else [f"steps {steps}"])]
        once = f"{stranger} {once}" if once is not None and asker == PUBLIC else once      # strangers share no key
        named = self.ids.new(asker, text, [*readers, *([follows] if follows else []), *narrowed], once)
        question = _message(
            QuestionAsked, id=named, text=text, surface=self.surface, asker=asker,
            audience={"tags": tuple(readers)}, thread=thread or named, asked_at=now, deadline=now + self.deadline,
            share_question=share_question, filters=filters, steps=steps,
        )
        repeated = once is not None and self.is_sent(named)
        self._refuse_haste(question, now, stranger, repeated=repeated)
        if repeated:
            return question.id
        self._refuse_before_first_index()
        with traced(question.id, self.record), span("ask", question=question.id, surface=self.surface,
                                                    request=current_request()):
            self._send(question)
            _log.info("question %s is on the log", question.id)
        return question.id

    def is_sent(self, question_id: str) -> bool:
        return self.ledger.surface.read(question_id) is not None

    def sent_among(self, question_ids: Sequence[str]) -> set[str]:
        return self.ledger.surface.sent_among(question_ids)

    def when_sent(self, tell: Callable[[str], None]) -> None:
        self.ledger.surface.when_posted(tell)

    def look(self, named: str, reader: str, acts_for: Collection[str] = ()) -> Mapping[str, Any] | None:
        """The answer, with what it cites as that stands now. Somebody it was not made for gets the same reply as for an
        answer that does not exist."""
        sent = self.ledger.sent.find(named)
        if sent is None:
            if self.ids.is_of(named, reader) and not self._is_gone(named):
                return None
            raise unknown()
        seen = check_readable(sent, self._looking(sent, reader, acts_for), self.index)
        return {**as_it_stands(sent, seen.view), **untold(seen.audience)}

    def history(self, reader: str, acts_for: Collection[str] = ()) -> list[dict[str, Any]]:
        """Earlier answers that `look` gives, without purged ones. Those for the same readers are looked up together."""
        own = self.ledger.sent.of_asker(reader, self.surface, _HISTORY)
        together: dict[tuple[str, ...], list[SentAnswer]] = {}
        for sent in own:
            with suppress(NotFound):
                together.setdefault(tuple(self._looking(sent, reader, acts_for)), []).append(sent)
        shown: set[str] = set()
        for readers, theirs in together.items():
            seen = self.index.visible_to(readers, list({chunk for sent in theirs for chunk in sent.given}))
            shown.update(sent.body["id"] for sent in theirs
                         if seen.chunk_ids.issuperset(sent.given) and stands(sent, seen.view))
        return [
            {name: sent.body[name] for name in ("id", "question", "action", "answered_at")}
            for sent in own if sent.body["id"] in shown and sent.body.get("reason") != REMOVED
        ]

    def thread(self, named: str, reader: str) -> list[dict[str, Any]]:
        """The answers of the thread before this one, without those that were purged or may not be read any more."""
        sent, turns = self.ledger.sent.find(named), []
        for turn in [] if sent is None else self.ledger.threads.earlier(sent.question, _THREAD, _IN_THREAD):
            try:
                body = self.look(turn.answer["id"], reader)
            except (NotFound, Denied):
                continue
            if body is not None and body.get("reason") != REMOVED:
                first = body["sentences"][0]["text"] if body["sentences"] else body["answer"]
                turns.append({"id": body["id"], "question": body["question"], "answer": first})
        return turns[::-1]

    def made_for(self, named: str, reader: str) -> list[str]:
        """Looked at anew: what its readers are called is told to nobody else."""
        try:
            seen = self.look(named, reader)
        except (NotFound, Denied):
            return []
        sent = None if seen is None else self.ledger.sent.find(named)
        made_for = None if sent is None else sent.question.audience
        return list(made_for.tags) if isinstance(made_for, TagsAudience) else []

    def is_asker(self, question_id: str, reader: str) -> bool:
        return self.ids.is_of(question_id, reader)

    def may_read(self, reader: str, chunk_ids: Sequence[str]) -> bool:
        return self.index.visible_to([reader], chunk_ids).chunk_ids.issuperset(chunk_ids)

    def vote(
        self, answer_id: str, reader: str, vote: str, reason: str | None, category: str | None = None
    ) -> None:
        """Raises Denied for the public: strangers would take each other's vote away."""
        body = self.look(answer_id, reader)
        if reader == PUBLIC:
            raise Denied("a vote is one person's, and nobody is signed in", cure="sign in to vote")
        if body is None:
            raise unknown()
        self._send(_message(FeedbackGiven, answer_id=body["id"], person=reader, vote=vote, reason=reason,
                            category=category, at=self.clock()))

    def _looking(self, sent: SentAnswer, reader: str, acts_for: Collection[str]) -> list[str]:
        """Those by whose rights the answer is looked at. Raises NotFound where this reader may not."""
        others = self._asked_for(sent, reader, acts_for)
        if not others and not is_made_for(sent, reader, self._principals):
            raise unknown()
        return others or [reader]

    def _asked_for(self, sent: SentAnswer, reader: str, acts_for: Collection[str]) -> list[str]:
        """Those whom a program asked it for, if it may act for them all now; none where it was made for the reader."""
        made_for = sent.question.audience
        if sent.question.asker != reader or not isinstance(made_for, TagsAudience):
            return []
        theirs = not {reader, PUBLIC} & set(made_for.tags) and self._acts(acts_for, made_for.tags)
        return list(made_for.tags) if theirs else []

    def _acts(self, acts_for: Collection[str], readers: Sequence[str]) -> bool:
        """Whether a program may act for them all: each of them, or a group that they are in, is named."""
        directory, now, named = self.permissions.permissions().directory, self.clock(), set(acts_for)
        groups = named - {PUBLIC}               # which everybody is in
        return bool(readers) and all(tag in named or directory.reader(tag, now).principals & groups for tag in readers)

    def _principals(self, tag: str) -> frozenset[str]:
        return self.permissions.permissions().directory.reader(tag, self.clock()).principals

    def _thread(self, follows: str, reader: str, acts_for: Collection[str]) -> str:
        """Of an answer that the reader may see. Raises Conflict while it is being made.

        Strangers share a name, so that what they ask belongs to the question that is followed, and to no thread of all.
        """
        if self.look(follows, reader, acts_for) is None:
            raise Conflict("the answer that this follows up on is still being made", cure="ask once it is there")
        sent = self.ledger.sent.find(follows)
        if sent is None:
            raise unknown()
        return sent.question.id if reader == PUBLIC else sent.question.thread or sent.question.id

    def _is_gone(self, question_id: str) -> bool:
        """Whether it was answered, and the answer deleted since."""
        answers = self.ledger.answers
        return answers.answered(question_id) and answers.by_question(question_id) is None

    def _refuse_haste(self, question: QuestionAsked, now: datetime, stranger: str, *, repeated: bool) -> None:
        """Strangers are counted by address, in this process: none takes the others' turn away.

        The ledger counts what a worker has begun with; what waits on the log is counted here, so that a thousand at
        once do not all get there. What is answered already makes no work.
        """
        if question.asker == PUBLIC:
            self.strangers.take(stranger)
            return
        wait = self.ledger.pace.wait(question.asker, now, self.per_minute) if self.per_minute else None
        if wait:
            seconds = max(1, math.ceil(wait.total_seconds()))
            raise Guarded(f"you have asked {count(self.per_minute, 'question')} within a minute, and more are refused",
                          cure=f"ask again in {count(seconds, 'second')}")
        if not repeated:
            self.turns.take(question.asker)

    def _refuse_before_first_index(self) -> None:
        if not self.index.has_version():
            raise NothingIngested()

    def _send(self, message: Message) -> None:
        self.producer.send(topic_of(message), key_of(message), encode(message))


def _message(kind: type[M], **fields: Any) -> M:
    """The message. Raises BadInput naming each field that cannot be sent."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        cure = f"at most {LONGEST_QUESTION:,} characters; 2,000 for a reason"
        raise BadInput(problems(error.errors()), cure=cure) from error
