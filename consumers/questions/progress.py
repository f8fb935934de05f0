"""Tells the log how far questions are: best effort, in a thread of its own, so that no answer waits for it."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime

from vouch.answering.verification.citations import Citation, Sentence
from vouch.correction.progress import Course, Listener
from vouch.errors import VouchError
from vouch.messages import QuestionAsked, QuestionProgress, encode, key_of, topic_of
from vouch.ports.log import Producer

_MOST_WAITING = 1_000                   # questions
_PAUSE_S = 30.0                         # after a failure: nothing is told until then
_log = logging.getLogger(__name__)


class ProgressPublisher:
    """Of each question only the newest message waits to be sent. Threads may share it."""

    def __init__(
        self, producer: Callable[[], Producer], clock: Callable[[], datetime], pause_s: float = _PAUSE_S
    ) -> None:
        """`producer` opens one, at the first message."""
        self._open = producer
        self._clock = clock
        self._pause = pause_s
        self._waiting: OrderedDict[str, QuestionProgress] = OrderedDict()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def listener(self, question: QuestionAsked) -> Listener:
        return Course(question, self._clock(), self.tell)

    def tell(self, message: QuestionProgress) -> None:
        """Returns at once; what cannot be sent soon is dropped."""
        with self._changed:
            if self._closed.is_set():
                return
            self._waiting[message.question_id] = message
            while len(self._waiting) > _MOST_WAITING:
                self._waiting.popitem(last=False)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """What waits is not sent any more."""
        with self._changed:
            self._closed.set()
            self._waiting.clear()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(2.0)

    def _run(self) -> None:
        producer: Producer | None = None
        while (message := self._next()) is not None:
            try:
                producer = producer or self._open()
                producer.send(topic_of(message), key_of(message), encode(message))
            except VouchError as error:
                _log.info("progress: stages are not told for %.0f s: %s", self._pause, error)
                self._closed.wait(self._pause)
                with self._changed:
                    self._waiting.clear()
        if producer is not None:
            producer.close()

    def _next(self) -> QuestionProgress | None:
        """None once it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed.is_set())
            return None if self._closed.is_set() else self._waiting.popitem(last=False)[1]


class Listeners:
    """Implements vouch.correction.progress.Listener: tells all of them."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = listeners

    def stage(self, name: str) -> None:
        for one in self._listeners:
            one.stage(name)

    def counted(self, name: str, number: int) -> None:
        for one in self._listeners:
            one.counted(name, number)

    def over(self) -> None:
        for one in self._listeners:
            one.over()

    def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        for one in self._listeners:
            one.sentence(sentence, citations)
