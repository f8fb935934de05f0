"""The same questions of the same people by three ways into one process: HTTP, the delivery alone, and the loop alone.

What HTTP costs is the first less one of the others. All three are asked in turns, with the same pauses, so that a busy
machine slows them alike.
"""

import random
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from vouch.access import PUBLIC
from vouch.messages import HTTP, QuestionAsked, TagsAudience

T = TypeVar("T")
QUESTION = "How many days of paid leave has everybody in year {}?"


def side_by_side(ask: Callable[[str], T], people: int, each: int, pause: float) -> list[tuple[T, float, float]]:
    """So many people ask that often, with drawn pauses of up to twice `pause` seconds, the same ones each time; of each
    question what `ask` gave, when it was sent, and when its answer was there."""

    def one(person: int) -> list[tuple[T, float, float]]:
        drawn, found = random.Random(person), []
        for number in range(each):
            time.sleep(drawn.uniform(0, 2 * pause))
            sent = time.perf_counter()
            told = ask(QUESTION.format(person * 100 + number))
            found.append((told, sent, time.perf_counter()))
        return found

    with ThreadPoolExecutor(people) as pool:
        return [one for found in pool.map(one, range(people)) for one in found]


class Delivery:
    """What any surface of the process has: log, worker, ledger, sender, and the look at what the reader may read."""

    def __init__(self, questions: Any) -> None:
        self._questions = questions
        self._lock = threading.Lock()
        self._there: dict[str, threading.Event] = {}
        questions.when_sent(lambda question_id: self._of(question_id).set())

    def ask(self, text: str) -> None:
        question_id = self._questions.ask(text, [PUBLIC])
        if not self._of(question_id).wait(60):
            raise TimeoutError(f"no answer to {question_id}")
        self._questions.look(question_id, PUBLIC)

    def _of(self, question_id: str) -> threading.Event:
        with self._lock:
            return self._there.setdefault(question_id, threading.Event())


class Loop:
    """Retrieval, evaluation and writing alone: nothing is kept, and nobody else is told."""

    def __init__(self, answerer: Any, clock: Callable[[], Any]) -> None:
        self._answerer, self._clock = answerer, clock

    def ask(self, text: str) -> None:
        named = uuid.uuid4().hex * 2
        self._answerer.answer(QuestionAsked(
            id=named, text=text, surface=HTTP, asker=PUBLIC, audience=TagsAudience(tags=(PUBLIC,)), thread=named,
            asked_at=self._clock(),
        ))  # fmt: skip


@dataclass
class Taken:
    """By one way: milliseconds of each question, and those that the whole process computed for one on average."""

    times: list[float] = field(default_factory=list)
    computed: list[float] = field(default_factory=list)

    def note(self, questions: Sequence[tuple[Any, float, float]], computed: float) -> None:
        self.times += [1000 * (received - sent) for _, sent, received in questions]
        self.computed.append(1000 * computed / len(questions))


def compared(ways: dict[str, Callable[[], list[tuple[Any, float, float]]]], rounds: int) -> dict[str, Taken]:
    """Each round asks by every way, and begins with another one."""
    found, names = {name: Taken() for name in ways}, list(ways)
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            before = time.process_time()
            questions = ways[name]()
            found[name].note(questions, time.process_time() - before)
    return found
