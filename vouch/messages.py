"""What the three kinds of work tell one another, and its form on the log: versioned JSON, decided by topic.

QuestionAsked     questions           a surface heard a question
AnswerReady       answers             an answer has reached its surface
FeedbackGiven     feedback            a person judged an answer
DocumentsChanged  documents.changed   a source has, or may have, other documents
QuestionProgress  vouch.progress      how far a question is; best effort

Each topic that is worked off has a twin, `TOPIC.dead`, for messages that could not be handled.
"""

import json
import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from vouch.access import parse_tag
from vouch.errors import BadAccess, BadMessage
from vouch.filters import EVERYTHING, Filters
from vouch.invalid import problems

SCHEMA = 1
LARGEST = 1_000_000
LARGEST_PATHS = 10_000
MOST_STEPS = 8
DEAD = ".dead"
TERMINAL = "terminal"                   # the surface of `vouch ask`
HTTP = "http"                           # that of `vouch serve`
_IDS = ("id", "question_id", "answer_id")


def _tag(text: str) -> str:
    try:
        return parse_tag(text)
    except BadAccess as error:
        raise ValueError(error.cause) from error


def _words(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    if "\x00" in text:
        raise ValueError("a NUL character")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("bytes that are not UTF-8")
    return text


def _moment(moment: datetime) -> datetime:
    """In UTC, and far enough from the ends of the calendar to add and subtract days."""
    if not 1970 <= moment.year < 9999:
        raise ValueError("a year before 1970 or after 9998")
    return moment.astimezone(UTC)


Id = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
Tag = Annotated[str, StringConstraints(max_length=300), AfterValidator(_tag)]
Words = Annotated[str, AfterValidator(_words)]
Moment = Annotated[AwareDatetime, AfterValidator(_moment)]
Stage = Literal["retrieve", "rerank", "evaluate", "web", "refine", "cite"]
Category = Literal["wrong", "outdated", "not_asked", "not_allowed", "other"]
"""Why an answer was voted down. `not_asked`: not what was asked. `not_allowed`: it should not have been answered."""


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TagsAudience(_Value):
    """The named readers, whatever they may read at the moment somebody looks."""

    kind: Literal["tags"] = "tags"
    tags: Annotated[tuple[Tag, ...], Field(min_length=1, max_length=1000)]


class ConversationAudience(_Value):
    """Everybody who is in a conversation of that surface, whoever that is at the moment somebody looks."""

    kind: Literal["conversation"] = "conversation"
    surface: Id
    conversation: Id


# A reference, never a resolved set: who stands behind it is looked up when the answer
# is made and again when it is sent.
AudienceRef = TagsAudience | ConversationAudience


def _is_none(value: object) -> bool:
    return value is None


class QuestionAsked(_Value):
    """`id` is the surface's own for this question; a second message with it gets no second answer.

    Not `outside`: no word of it may be sent to a search of the web, as it may be no question to vouch at all.
    `share_question`: its words may be shown, without the asker's name, to owners of documents.
    `filters` narrow what it is answered from. `steps`: how many further searches it may take; None: as many as is
    set for questions whose asker says nothing.
    """

    id: Id
    text: Annotated[Words, StringConstraints(max_length=4000)]
    surface: Id
    asker: Tag
    audience: AudienceRef
    thread: Id | None = None
    asked_at: Moment
    deadline: Moment | None = None
    outside: bool = True
    # Left out where they say nothing: workers of before know no such fields.
    share_question: Annotated[bool, Field(exclude_if=operator.not_)] = False
    filters: Annotated[Filters, Field(exclude_if=operator.not_)] = EVERYTHING
    steps: Annotated[int | None, Field(ge=0, le=MOST_STEPS, exclude_if=_is_none)] = None


class AnswerReady(_Value):
    """May come more than once after a crash, always with the same ids."""

    question_id: Id
    answer_id: Id
    surface: Id
    audience: AudienceRef
    thread: Id | None = None
    sent_at: Moment


class FeedbackGiven(_Value):
    """`reaction`: the name of the one that it was given by, if by any. `withdrawn`: that one was taken back."""

    answer_id: Id
    person: Tag
    vote: Literal["up", "down"]
    category: Category | None = None
    reason: Annotated[Words, StringConstraints(max_length=2000)] | None = None
    at: Moment
    reaction: Annotated[
        str, StringConstraints(pattern=r"^[!-~]*$", max_length=60), Field(exclude_if=operator.not_)
    ] = ""
    withdrawn: Annotated[bool, Field(exclude_if=operator.not_)] = False

    @model_validator(mode="after")
    def _only_down(self) -> Self:
        if self.withdrawn and not self.reaction:
            raise ValueError("only a reaction can be withdrawn")
        if self.category is not None and self.vote != "down":
            raise ValueError("a category says why an answer was voted down")
        return self


class DocumentsChanged(_Value):
    """`paths` None: look at the whole source."""

    source: Words
    paths: Annotated[tuple[Words, ...], Field(max_length=LARGEST_PATHS)] | None = None
    at: Moment


class StageDone(_Value):
    """`count`: passages found, read, likely to answer, found on the web, and kept; sentences that hold."""

    stage: Stage
    count: Annotated[int, Field(ge=0)] | None = None
    ms: Annotated[int, Field(ge=0)]


class QuestionProgress(_Value):
    """The whole course of a question until now, so that any of them may be lost, late, repeated or out of order.

    Of two, the one of the try that was `begun_at` later is newer, and of one
    try the one with the higher `number`. It carries no words, and no count
    that depends on what its readers may not read.
    """

    question_id: Id
    surface: Id
    begun_at: Moment
    number: Annotated[int, Field(ge=1)]
    done: Annotated[tuple[StageDone, ...], Field(max_length=20)] = ()
    stage: Stage | None                 # the one that is under way; None: the answer is on its way

    def newer(self, than: "QuestionProgress | None") -> bool:
        return than is None or (self.begun_at, self.number) > (than.begun_at, than.number)


Message = QuestionAsked | AnswerReady | FeedbackGiven | DocumentsChanged | QuestionProgress

TOPICS: dict[str, type[Message]] = {
    "questions": QuestionAsked,
    "answers": AnswerReady,
    "feedback": FeedbackGiven,
    "documents.changed": DocumentsChanged,
    "vouch.progress": QuestionProgress,
}
BEST_EFFORT = ("vouch.progress",)       # nobody works them off, and whoever missed a message goes on without
WORKED = tuple(topic for topic in TOPICS if topic not in BEST_EFFORT)


def topic_of(message: Message) -> str:
    return next(topic for topic, kind in TOPICS.items() if kind is type(message))


def key_of(message: Message) -> bytes:
    """What must stay in order travels under one key: a thread's questions, an answer's votes, a source."""
    match message:
        case QuestionAsked():
            return (message.thread or message.id).encode()
        case AnswerReady():
            return (message.thread or message.question_id).encode()
        case FeedbackGiven():
            return message.answer_id.encode()
        case DocumentsChanged():
            return message.source.encode()
        case QuestionProgress():
            return message.question_id.encode()


def encode(message: Message) -> bytes:
    """UTF-8 JSON with `schema`, `type` and the message's fields. Raises BadMessage past 1 MB."""
    envelope = {"schema": SCHEMA, "type": type(message).__name__}
    data = json.dumps(envelope | message.model_dump(mode="json"), ensure_ascii=False).encode()
    _check_size(data)
    return data


def decode(topic: str, data: bytes) -> Message:
    """The message `data` holds. Raises BadMessage unless it is whole and of the type that `topic` carries."""
    kind = TOPICS.get(topic.removesuffix(DEAD))
    if kind is None:
        raise BadMessage(f"no messages are known on topic {topic!r}")
    _check_size(data)
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadMessage(f"not JSON: {type(error).__name__}") from error
    if not isinstance(body, dict):
        raise BadMessage("not a JSON object")
    schema, name = body.pop("schema", None), body.pop("type", None)
    if type(schema) is not int or schema != SCHEMA:
        raise BadMessage(f"schema {schema!r:.40}, known is {SCHEMA}", cure="run a vouch that knows it")
    if name != kind.__name__:
        raise BadMessage(f"type {name!r:.60} on topic {topic}, which carries {kind.__name__}")
    try:
        return kind.model_validate_json(json.dumps(body), strict=True)
    except (ValidationError, RecursionError) as error:
        raise BadMessage(f"{kind.__name__}: {_wrong(error)}") from error


def about(data: bytes, ids: Collection[str]) -> bool:
    """Whether a message, even one that nobody could handle, names one of these questions or answers."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(body, dict) and any(body.get(name) in ids for name in _IDS if isinstance(body.get(name), str))


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Why a message lies on a dead topic; travels as headers beside the untouched key and value."""

    topic: str
    partition: int
    offset: int
    reason: str
    error: str
    attempts: int
    first_at: str                       # ISO 8601, UTC
    last_at: str

    def headers(self) -> list[tuple[str, bytes]]:
        texts = {f.name: str(getattr(self, f.name)) for f in fields(self)}
        return [(f"vouch-dead-{name}", text.encode(errors="backslashreplace")) for name, text in texts.items()]

    @classmethod
    def read(cls, headers: Sequence[tuple[str, bytes]]) -> "DeadLetter":
        """Raises BadMessage when the headers are not those of a dead letter."""
        found = dict(headers)
        try:
            text = {f.name: found[f"vouch-dead-{f.name}"].decode() for f in fields(cls)}
            numbers = {name: int(text.pop(name)) for name in ("partition", "offset", "attempts")}
        except (KeyError, ValueError) as error:
            raise BadMessage(f"not a dead letter: {error}") from error
        return cls(**text, **numbers)  # type: ignore[arg-type]


def _check_size(data: bytes) -> None:
    if len(data) > LARGEST:
        raise BadMessage(f"{len(data)} bytes, at most {LARGEST} are taken")


def _wrong(error: ValidationError | RecursionError) -> str:
    """Field and rule, never the content: a reason is read by people the message was not for."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return problems(error.errors(include_input=False))

