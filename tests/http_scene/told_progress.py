"""A page that waits, what it is told while nobody answers, and who answers in the end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from bots.http.backend import Event
from http_scene.browser_steps import QUESTION
from http_scene.http_place import PATIENT, Place, _working
from services.answering.progress import ProgressBoard
from vouch.messages import HTTP


@dataclass
class Told:
    """What is told of a question while nobody answers it."""

    events: list[Event] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    tell: list[Callable[[str], object]] = field(default_factory=list)

    def after(self, question_id: str, number: int) -> list[Event]:
        self.asked.add(question_id)
        return self.events[number:]

    def when_noted(self, tell: Callable[[str], object]) -> None:
        self.tell.append(tell)

    def say(self, event: Event) -> None:
        self.events.append(event)
        for tell in self.tell:
            for question_id in tuple(self.asked):
                tell(question_id)


STAGE = Event(1, "stage", {"stage": "rerank", "done": [{"stage": "retrieve", "count": 7, "ms": 3}]})


def said(text: str, chunk: str) -> Event:
    return Event(2, "sentence", {"text": text, "citations": [{"number": 1, "title": text, "path": "a.md"}]}, (chunk,))


def waiting(page: Any, place: Place) -> None:
    page.goto(place.address)
    page.fill("#question", QUESTION)
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Looking for an answer").wait_for()


@contextmanager
def answering(place: Place, folder: Any) -> Iterator[None]:
    """In it questions of the place are answered."""
    stop = threading.Event()
    threads = _working(place.home, place.log, ProgressBoard(Event, HTTP), stop, PATIENT)  # type: ignore[arg-type]
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
