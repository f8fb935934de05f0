"""Hidden documents change no byte that a reader gets by HTTP: no body, header, status, or size, no event, no order."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

import pytest
from http_scene.http_two_worlds import differences, draw, told_apart
from running.soak_table import Figures

from bots.http.app import Service
from bots.http.backend import Event
from vouch.errors import BadInput


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_hidden_documents_change_nothing(seed: int) -> None:
    assert differences(draw(seed)) == []


@pytest.mark.soak
def test_hidden_documents_change_nothing_in_500_pairs(figures: Figures) -> None:
    found = []
    with ProcessPoolExecutor(4, get_context("spawn")) as pool:
        for told in pool.map(_told_apart, range(1000, 1500)):
            assert not told, "\n".join(f"{seed} {name}: {apart}" for (seed, name), apart in told.items())
            found.append(told)
            if len(found) % 50 == 0:
                print(f"{len(found)} pairs", flush=True)
    assert len(found) == 500
    figures("two worlds over HTTP: bodies, headers, statuses, sizes, events", f"{len(found)} pairs", "0 differences")


def _told_apart(seed: int) -> dict[tuple[int, str], str]:
    return {(seed, name): apart for name, apart in told_apart(draw(seed, questions=1)).items()}


@dataclass
class Counting:
    """Plants a count of all documents, hidden ones too, beside the results of a search."""

    library: Any

    def search(self, text: str, tags: Any, top: int, mode: str, filters: Any) -> dict[str, Any]:
        documents = len(self.library.index.version().headers)
        return {**self.library.search(text, tags, top, mode, filters), "warnings": [f"searched {documents} documents"]}

    def show(self, *words: Any) -> Any:
        return self.library.show(*words)

    def document(self, *words: Any) -> Any:
        return self.library.document(*words)

    def documents(self, *words: Any) -> Any:
        return self.library.documents(*words)


@dataclass
class Telling(Counting):
    """Plants an error that tells a hidden document from one that does not exist."""

    def search(self, *words: Any) -> Any:
        return self.library.search(*words)

    def document(self, source: str, path: str, *words: Any) -> Any:
        from vouch.errors import NotFound

        if self.library.index.version().find((source, path)) is None:
            raise NotFound("there is no such document")
        return self.library.document(source, path, *words)


@dataclass
class Listing(Telling):
    """Plants a page more where hidden documents follow."""

    def document(self, *words: Any) -> Any:
        return self.library.document(*words)

    def documents(self, tags: Any, after: Any, most: int) -> Any:
        found = self.library.documents(tags, after, most)
        last = max(one.place for one in self.library.index.version().headers)
        return {**found, "more": bool(found["documents"]) and found["documents"][-1]["path"] < last[1]}


@dataclass
class Warned:
    """Plants a count of all documents on the page of an answer."""

    questions: Any
    library: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.questions, name)

    def look(self, *words: Any) -> Any:
        found, documents = self.questions.look(*words), len(self.library.index.version().headers)
        return found and {**found, "warnings": [f"there are {documents} documents"]}


@dataclass
class Chatty:
    """Plants the same count in what is told while an answer is made."""

    progress: Any
    library: Any

    def after(self, *words: Any) -> list[Event]:
        documents = len(self.library.index.version().headers)
        return [replace(one, data={**one.data, "of": documents}) for one in self.progress.after(*words)]

    def when_noted(self, tell: Any) -> None:
        self.progress.when_noted(tell)


@dataclass
class Remembering:
    """Plants the same count in what stands on the page of a follow-up before it."""

    questions: Any
    library: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.questions, name)

    def thread(self, *words: Any) -> Any:
        documents = len(self.library.index.version().headers)
        return [{**one, "answer": f"{documents} documents"} for one in self.questions.thread(*words)]


@dataclass
class Refusing(Remembering):
    """Plants an error that tells the same count to whoever votes."""

    def thread(self, *words: Any) -> Any:
        return self.questions.thread(*words)

    def vote(self, *words: Any) -> None:
        raise BadInput(f"the vote is one for {len(self.library.index.version().headers)} documents")


@dataclass
class Gathering(Remembering):
    """Plants the same count in answers for several readers, for each of them."""

    def thread(self, *words: Any) -> Any:
        return self.questions.thread(*words)

    def look(self, *words: Any) -> Any:
        found, documents = self.questions.look(*words), len(self.library.index.version().headers)
        several = found and len(self.questions.ledger.sent.find(found["id"]).question.audience.tags) > 1
        return {**found, "warnings": [f"there are {documents} documents"]} if several else found


@dataclass
class Showing(Telling):
    """Plants the same count where a passage is shown."""

    def document(self, *words: Any) -> Any:
        return self.library.document(*words)

    def show(self, *words: Any) -> Any:
        found = self.library.show(*words)
        return {**found, "title": f"{found['title']} of {len(self.library.index.version().headers)}"}


PLANTS: dict[str, tuple[Callable[[Service], dict[str, Any]], set[str]]] = {
    "search": (lambda service: {"library": Counting(service.library)}, {"search"}),
    "document": (lambda service: {"library": Telling(service.library)}, {"document"}),
    "documents": (lambda service: {"library": Listing(service.library)}, {"documents"}),
    "page": (lambda service: {"questions": Warned(service.questions, service.library)},
             {"page", "answer", "again", "events"}),
    "thread": (lambda service: {"questions": Remembering(service.questions, service.library)}, {"page"}),
    "voted": (lambda service: {"questions": Refusing(service.questions, service.library)}, {"voted", "vote", "page"}),
    "several": (lambda service: {"questions": Gathering(service.questions, service.library)}, {"page", "answer"}),
    "passage": (lambda service: {"library": Showing(service.library)}, {"passage", "citation", "chunk", "part"}),
    "event": (lambda service: {"progress": Chatty(service.progress, service.library)}, {"events"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_difference_is_caught(plant: str) -> None:
    made, seen = PLANTS[plant]
    pair = draw(3)
    assert len(pair.hidden[0]) != len(pair.hidden[1])
    found = {name.split()[0] for name in differences(pair, lambda service: replace(service, **made(service)))}
    assert found and found <= seen
    assert plant not in ("page", "event") or found == seen
    assert plant in found or plant not in ("voted", "passage")
