"""How far the questions are that this process answers, for those who wait for them."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from vouch.answering.citations import Citation, Sentence
from vouch.messages import QuestionAsked

E = TypeVar("E")
_KEPT = 500                             # questions


class ProgressBoard(Generic[E]):
    """Implements the Progress of `bots.http.backend`; `make` makes its events. The last questions alone are kept."""

    def __init__(self, make: Callable[[int, str, Mapping[str, Any], tuple[str, ...]], E], surface: str) -> None:
        self._make = make
        self._surface = surface
        self._lock = threading.Lock()
        self._events: OrderedDict[str, list[E]] = OrderedDict()

    def listener(self, question: QuestionAsked) -> "_Notes[E] | None":
        """Who is told of the question; nobody for one of another surface."""
        return _Notes(self, question.id) if question.surface == self._surface else None

    def after(self, question_id: str, number: int) -> Sequence[E]:
        with self._lock:
            return self._events.get(question_id, [])[max(number, 0):]

    def note(self, question_id: str, kind: str, data: Mapping[str, Any], chunks: tuple[str, ...] = ()) -> None:
        with self._lock:
            events = self._events.setdefault(question_id, [])
            events.append(self._make(len(events) + 1, kind, data, chunks))
            while len(self._events) > _KEPT:
                self._events.popitem(last=False)

    def clear(self) -> None:
        """Of all questions: sentences may quote what was purged since."""
        with self._lock:
            self._events.clear()


class _Notes(Generic[E]):
    """Implements vouch.correction.listener.Listener."""

    def __init__(self, board: ProgressBoard[E], question_id: str) -> None:
        self._board = board
        self._question = question_id

    def stage(self, name: str) -> None:
        self._board.note(self._question, "stage", {"stage": name})

    def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        cited = [
            {"number": one.number, "chunk_id": one.passage.chunk_id, "source": one.passage.source,
             "path": one.passage.path, "title": one.passage.title, "quote": one.quote}
            for one in citations
        ]
        chunks = tuple(one.passage.chunk_id for one in citations if one.passage.origin == "internal")
        self._board.note(self._question, "sentence", {"text": sentence.text, "citations": cited}, chunks)
