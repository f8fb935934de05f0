"""The form of messages on the log: versioned JSON, decided by topic."""

import json
from collections.abc import Collection

from pydantic import ValidationError

from vouch.errors import BadMessage
from vouch.invalid import problems
from vouch.messages.message import (
    AnswerReady,
    DocumentsChanged,
    FeedbackGiven,
    Message,
    QuestionAsked,
    QuestionProgress,
)

SCHEMA = 1
LARGEST = 1_000_000
DEAD = ".dead"
_IDS = ("id", "question_id", "answer_id")

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


def _check_size(data: bytes) -> None:
    if len(data) > LARGEST:
        raise BadMessage(f"{len(data)} bytes, at most {LARGEST} are taken")


def _wrong(error: ValidationError | RecursionError) -> str:
    """Field and rule, never the content: a reason is read by people the message was not for."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return problems(error.errors(include_input=False))
