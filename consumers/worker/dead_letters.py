"""Dead letters: how a message comes to lie on its dead topic, is looked at there, sent again, or dropped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from vouch.errors import BadMessage, NotFound
from vouch.messages import DEAD, WORKED, DeadLetter, QuestionAsked, decode, encode
from vouch.ports.log import Log, Producer, Record

_PREFIX = "vouch-dead-"
_KEPT = 10_000                          # bytes of a value that the log does not take
_LONGEST = 150                          # of an id, so that its successor is one too


def send_to_dead_letter(
    producer: Producer, record: Record, error: BaseException, attempts: int, first_at: datetime, last_at: datetime
) -> None:
    """Sends `record` to the dead topic, untouched, with the reason beside it.

    Of one that is too large for the log only the beginning is kept.
    """
    letter = DeadLetter(
        record.topic, record.partition, record.offset, str(error)[:2000], type(error).__name__, attempts,
        first_at.isoformat(), last_at.isoformat(),
    )  # fmt: skip
    topic, headers = record.topic + DEAD, letter.headers()
    try:
        producer.send(topic, record.key, record.value, [*record.headers, *headers])
    except BadMessage:
        size = ("vouch-dead-bytes", str(len(record.value)).encode())
        producer.send(topic, record.key[:_KEPT], record.value[:_KEPT], [*headers, size])


@dataclass(frozen=True, slots=True)
class DeadMessage:
    """`letter` is None for what somebody else put there; `copies` tell of the same original and go with it."""

    record: Record
    letter: DeadLetter | None
    copies: list[Record] = field(default_factory=list)

    @property
    def name(self) -> str:
        """TOPIC/PARTITION/OFFSET on the dead topic."""
        return f"{self.record.topic}/{self.record.partition}/{self.record.offset}"

    @property
    def origin(self) -> str:
        """The topic it came from."""
        return self.record.topic.removesuffix(DEAD)


@dataclass(frozen=True, slots=True)
class Replayed:
    """`asked_anew` is the id under which a question was asked again whose asker had been told that it failed."""

    message: DeadMessage
    asked_anew: str | None


class DeadLetters:
    def __init__(self, log: Log, producer: Producer, answered: Callable[[str], bool]) -> None:
        """`answered` tells whether a question id has got its answer, a decline included."""
        self._log = log
        self._producer = producer
        self._answered = answered

    def lying(self, topic: str | None = None) -> list[DeadMessage]:
        """Those of `topic`, or of all, oldest first; each original once."""
        if topic is not None and topic.removesuffix(DEAD) not in WORKED:
            raise NotFound(f"no topic {topic}", cure=f"topics are {', '.join(WORKED)}")
        names = [topic.removesuffix(DEAD)] if topic is not None else list(WORKED)
        messages_by_origin: dict[object, DeadMessage] = {}
        for name in names:
            for record in self._log.read(name + DEAD):
                letter = _letter(record)
                position = (record.topic, record.partition, record.offset)
                key = position if letter is None else (letter.topic, letter.partition, letter.offset)
                if key in messages_by_origin:
                    messages_by_origin[key].copies.append(record)
                else:
                    messages_by_origin[key] = DeadMessage(record, letter)
        return sorted(messages_by_origin.values(), key=lambda one: one.record.timestamp_ms)

    def named(self, names: Sequence[str]) -> list[DeadMessage]:
        """In the order of `names`. Raises NotFound for one that is not there."""
        known = {message.name: message for message in self.lying()}
        missing = [name for name in names if name not in known]
        if missing:
            raise NotFound(f"no dead message {', '.join(missing)}", cure="vouch dead list names them")
        return [known[name] for name in names]

    def replay(self, message: DeadMessage) -> Replayed:
        """It is on its topic again, and on the dead topic no more. Repeated after a crash, it changes nothing."""
        record, value, anew = message.record, message.record.value, None
        question = _question(message)
        if question is not None and self._answered(question.id):
            anew = f"{question.id[:_LONGEST]}.again-{record.partition}-{record.offset}"
            value = encode(question.model_copy(update={"id": anew, "deadline": None}))
        headers = [(name, data) for name, data in record.headers if not name.startswith(_PREFIX)]
        self._producer.send(message.origin, record.key, value, headers)
        self.drop([message])
        return Replayed(message, anew)

    def drop(self, messages: Sequence[DeadMessage]) -> None:
        by_topic: dict[str, list[tuple[int, int]]] = {}
        for message in messages:
            for record in (message.record, *message.copies):
                by_topic.setdefault(record.topic, []).append((record.partition, record.offset))
        for topic, places in by_topic.items():
            self._log.discard(topic, places)


def _letter(record: Record) -> DeadLetter | None:
    try:
        return DeadLetter.read(record.headers)
    except BadMessage:
        return None


def _question(message: DeadMessage) -> QuestionAsked | None:
    try:
        decoded = decode(message.record.topic, message.record.value)
    except BadMessage:
        return None
    return decoded if isinstance(decoded, QuestionAsked) else None
