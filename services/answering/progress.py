"""How far questions are, for those who wait: told by this process, or heard from the log."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Generic, Protocol, TypeVar

from vouch.answering.answer_text import sentence_text
from vouch.answering.verification.citations import Citation, Sentence
from vouch.correction.progress import Course
from vouch.errors import BadMessage, VouchError
from vouch.messages import BEST_EFFORT, QuestionAsked, QuestionProgress, decode
from vouch.ports.log import Follower

_KEPT = 500                             # questions


class Noted(Protocol):
    """An event as the board keeps it."""

    @property
    def number(self) -> int: ...

    @property
    def kind(self) -> str: ...

    @property
    def chunks(self) -> tuple[str, ...]: ...


E = TypeVar("E", bound=Noted)


class ProgressBoard(Generic[E]):
    """Implements the Progress of `bots.http.backend`; `make` makes its events. The last questions alone are kept."""

    def __init__(self, make: Callable[[int, str, Mapping[str, Any], tuple[str, ...]], E], surface: str) -> None:
        self._make = make
        self._surface = surface
        self._lock = threading.RLock()
        self._events: OrderedDict[str, list[E]] = OrderedDict()
        self._newest: OrderedDict[str, QuestionProgress] = OrderedDict()
        self._tell: list[Callable[[str], object]] = []

    def listener(self, question: QuestionAsked) -> "_Notes[E] | None":
        """What gets the progress of a question that this process answers; nothing for a question of another surface."""
        return _Notes(self, question) if question.surface == self._surface else None

    def hear(self, message: QuestionProgress) -> None:
        """Notes the stages that are new in it, in order, also those whose own messages were lost."""
        if message.surface != self._surface:
            return
        with self._lock:
            last = self._newest.get(message.question_id)
            if not message.newer(last):
                return
            self._newest[message.question_id] = message
            while len(self._newest) > _KEPT:
                self._newest.popitem(last=False)
            stages = _stages(message)
            start = 0 if last is None or stages[: len(_stages(last))] != _stages(last) else len(_stages(last))
            for index in range(start, len(stages)):
                done = [stage.model_dump() for stage in message.done[:index]]
                self.note(message.question_id, "stage", {"stage": stages[index], "done": done})

    def after(self, question_id: str, number: int) -> Sequence[E]:
        with self._lock:
            return self._events.get(question_id, [])[max(number, 0):]

    def note(self, question_id: str, kind: str, data: Mapping[str, Any], chunks: tuple[str, ...] = ()) -> None:
        with self._lock:
            events = self._events.setdefault(question_id, [])
            events.append(self._make(len(events) + 1, kind, data, chunks))
            while len(self._events) > _KEPT:
                self._events.popitem(last=False)
            told = tuple(self._tell)
        for tell in told:
            tell(question_id)

    def when_noted(self, tell: Callable[[str], object]) -> None:
        """From now on `tell` is called with a question's id once something happened to it, in any thread."""
        with self._lock:
            self._tell.append(tell)

    def forget_words(self) -> None:
        """Of all sentences: they may quote what was purged. Who has not been told one gets it with the answer."""
        with self._lock:
            for question_id, events in self._events.items():
                self._events[question_id] = [self._wordless(event) for event in events]

    def _wordless(self, event: E) -> E:
        """With its number still, by which streams go on."""
        return self._make(event.number, event.kind, {}, event.chunks) if event.kind == "sentence" else event


class _Notes(Course, Generic[E]):
    """A course that sentences belong to as well."""

    def __init__(self, board: ProgressBoard[E], question: QuestionAsked) -> None:
        super().__init__(question, datetime.now(UTC), board.hear)
        self._board = board
        self._id = question.id

    def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        cited = [
            {"number": one.number, "chunk_id": one.passage.chunk_id, "source": one.passage.source,
             "path": one.passage.path, "title": one.passage.title, "quote": one.quote}
            for one in citations
        ]
        chunks = tuple(one.passage.chunk_id for one in citations if one.passage.origin == "internal")
        self._board.note(self._id, "sentence", {"text": sentence_text(sentence), "citations": cited}, chunks)


def _stages(message: QuestionProgress) -> list[str]:
    return [*(one.stage for one in message.done), *([] if message.stage is None else [message.stage])]


TOPICS = BEST_EFFORT
_LOOK_S, _PAUSE_S = 0.2, 5.0
_log = logging.getLogger(__name__)


class Heard:
    """Progress off the log, as far as it comes: an outage of the log costs messages and raises nothing."""

    def __init__(self, follow: Callable[[], Follower]) -> None:
        """`follow` begins to read what arrives on TOPICS."""
        self._open = follow
        self._follower: Follower | None = None

    def begin(self) -> bool:
        """Whether it receives the progress that comes from now on."""
        try:
            self._follower = self._follower or self._open()
        except VouchError as error:
            _log.info("stages are not followed: %s", error)
        return self._follower is not None

    def next(self, timeout_s: float) -> QuestionProgress | None:
        if self._follower is None:
            return None
        try:
            record = self._follower.poll(timeout_s)
            message = None if record is None else decode(record.topic, record.value)
        except BadMessage:
            return None
        except VouchError as error:
            _log.info("stages are not followed: %s", error)
            self.close()
            return None
        return message if isinstance(message, QuestionProgress) else None

    def close(self) -> None:
        follower, self._follower = self._follower, None
        if follower is not None:
            with suppress(VouchError):
                follower.close()


def keep_hearing(heard: Heard, tell: Callable[[QuestionProgress], object], stop: threading.Event) -> None:
    """Until `stop` is set; begins again after an outage."""
    while not stop.is_set():
        if not heard.begin():
            stop.wait(_PAUSE_S)
        elif (message := heard.next(_LOOK_S)) is not None:
            tell(message)
    heard.close()
