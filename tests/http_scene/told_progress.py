"""A page that waits, what it is told while nobody answers, and who answers in the end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from homes.memory import folder_in_memory

from bots.http.backend import Event
from http_scene.browser_steps import QUESTION, watched
from http_scene.http_place import PATIENT, Place, http_place, working
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


SENTENCE = "Every ninety days."         # of a document that engineers alone may read


@dataclass
class Waiting:
    """A page of ana's, an engineer, that waits and shows `SENTENCE`; nobody answers. `tells` says what comes next."""

    page: Any
    place: Place
    folder: Any
    tells: Told
    chunk_id: str


@contextmanager
def waiting_with_a_sentence(browser: Any) -> Iterator[Waiting]:
    told_of = Told([STAGE])
    with folder_in_memory() as folder, \
            http_place(folder, works=False, changed=lambda service: replace(service, progress=told_of)) as place, \
            watched(browser, place, "ana") as (page, _):
        waiting(page, place)
        found = place.person("ana").post("/v1/search", {"query": "vault tokens"}).json["results"]
        told_of.say(said(SENTENCE, found[0]["chunk_id"]))
        page.get_by_text(SENTENCE).wait_for()
        yield Waiting(page, place, folder, told_of, found[0]["chunk_id"])


@contextmanager
def answering(place: Place, folder: Any) -> Iterator[None]:
    """In it questions of the place are answered."""
    stop = threading.Event()
    threads = working(place.home, place.log, ProgressBoard(Event, HTTP), stop, PATIENT)  # type: ignore[arg-type]
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
