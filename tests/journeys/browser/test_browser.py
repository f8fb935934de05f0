"""The pages in a real Chromium, with and without script: nothing runs, nothing leaves the origin, people get through.

It needs the program chromium, and says so where it is missing; with VOUCH_REQUIRE_BROWSER=1 it fails there.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.browser_steps import ask, barriers, is_wider_than_a_phone, tab_to, watched
from http_scene.http_place import PAPERS, PATIENT, Paper, Place, _working, http_place
from http_scene.watched_browser import NEEDS_BROWSER, chromium
from learning_scene.past_answers import put
from learning_scene.registry_rows import evaluator_row, fusion_row, promote

from bots.http.backend import Event
from bots.http.identity.local import LocalSessions
from flows.shared.home_files.evaluation_reports import save_evaluation
from services.answering.progress import ProgressBoard
from vouch.adapters.ledger.registry.going_back import GUARD
from vouch.learning.evaluator.evaluator_figures import reliability
from vouch.messages import HTTP, DeadLetter

pytestmark = NEEDS_BROWSER

QUESTION = "How many days of paid leave has everybody?"
EVIL = ("<script>document.title='run'</script><img src=https://evil.example/x onerror=document.title='run'>"
        "<form action=https://evil.example/><svg onload=document.title='run'>\"'</textarea></title></style>")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.mark.parametrize("how", [
    {"viewport": {"width": 1200, "height": 800}}, {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark"},
    {"java_script_enabled": False},
])
def test_ask_follow_a_citation_to_its_words_and_vote(browser: Any, how: dict[str, Any]) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, \
            watched(browser, place, "ana", **how) as (page, told):
        ask(page, place, QUESTION)
        if "viewport" in how:
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.locator(".citations a").first.click()
        assert "thirty days" in page.locator("mark").first.inner_text()
        page.get_by_text("Back to the answer").click()
        page.get_by_role("button", name="Yes").click()
        page.get_by_text("your vote is counted").wait_for()
        assert told == []


def test_two_people_get_what_each_may_read_and_together_what_both_may(browser: Any) -> None:
    question = "How often are the vault tokens rotated?"
    with folder_in_memory() as folder, http_place(folder) as place:
        with watched(browser, place, "ana") as (page, told):
            ask(page, place, question)
            assert "ninety days" in page.locator("main").inner_text()
            page.goto(place.address)
            page.get_by_text("For whom is this?").click()
            page.fill("#audience", "user:ben")
            page.fill("#question", question)
            page.get_by_role("button", name="Ask").click()
            page.locator(".vote").wait_for(timeout=20_000)
            assert "ninety days" not in page.locator("main").inner_text() and told == []
        with watched(browser, place, "ben") as (page, _):
            ask(page, place, question)
            assert "ninety days" not in page.locator("main").inner_text()


def test_everything_is_reached_by_keyboard_alone(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        page.goto(place.address)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        tab_to(page, "textarea#question")
        page.keyboard.type(QUESTION)
        tab_to(page, "main form button")
        page.keyboard.press("Enter")
        page.locator(".vote").wait_for(timeout=20_000)
        tab_to(page, ".citations a")
        page.keyboard.press("Enter")
        assert "thirty days" in page.locator("mark").first.inner_text() and told == []


def test_an_operator_goes_back_to_an_earlier_version(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "olga") as (page, told):
        place.home.put("docs", "parking.md", Paper("# Parking\n\nThe car park opens at seven.\n"))
        assert place.home.ingest(["docs"])
        page.goto(f"{place.address}/operate/versions")
        page.get_by_role("link", name="go back to it").last.click()
        page.get_by_role("button", name="Go back to version 1").click()
        page.get_by_text("has the documents of version 1").wait_for()
        page.get_by_role("link", name="What was done").click()
        assert "rollback to version 1" in page.locator("main").inner_text() and told == []


@pytest.mark.parametrize("how", [
    {"viewport": {"width": 1200, "height": 800}}, {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark"},
    {"java_script_enabled": False},
])
def test_an_operator_uploads_looks_at_quality_and_sends_a_message_again(browser: Any, how: dict[str, Any]) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga", **how) as (page, told):
        _something_to_see(place)
        page.goto(f"{place.address}/operate/status")
        page.get_by_role("link", name="send again").click()
        page.get_by_role("button", name="Send it again").click()
        page.get_by_role("link", name="Quality", exact=True).click()
        page.get_by_role("link", name="answers-21000101T000000").click()
        for picture in page.locator("img").all():
            if "viewport" in how:
                assert picture.evaluate("one => one.complete && one.naturalWidth > 100")
                assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            assert picture.get_attribute("alt")
        page.goto(f"{place.address}/operate/upload")
        page.set_input_files("#file", {"name": "parking.md", "mimeType": "text/markdown", "buffer": b"# Parking\n"})
        page.get_by_label("I know who will read it").check()
        page.get_by_role("button", name="Upload").click()
        page.get_by_text("it may be read by public").wait_for()
        page.get_by_role("link", name="What was done").click()
        done = page.locator("main").inner_text()
        assert "replay of questions.dead" in done and "upload of docs:parking.md" in done and told == []


def _something_to_see(place: Place) -> None:
    """A message that could not be handled, a report of an evaluation, votes, a model and a broken document."""
    letter = DeadLetter("questions", 0, 0, "words", "BadMessage", 3, "2026-11-23T10:00:00", "2026-11-23T10:01:00")
    place.log.producer().send("questions.dead", b"k", b"words", letter.headers())
    save_evaluation(place.home.bench.home, "answers", "questions.jsonl", place.home.now, {
        "figures": {"questions": 2}, "reliability": reliability([True, False], [0.9, 0.3]),
        "risk_coverage": [[0.5, 0.0], [1.0, 0.5]]})
    put(place.home.bench.ledger, "v", "What?", "user:v", place.home.now - timedelta(days=2), votes={"user:a": "up"})
    place.home.bench.ledger.models.add(fusion_row())
    place.home.put("docs", "broken.pdf", Paper("not a PDF"))
    assert place.home.ingest(["docs"])


def _shadowed_promoted_and_put_back(place: Place) -> None:
    models, name = place.home.bench.ledger.models, fusion_row().name
    seen = {"since": place.home.now.isoformat(), "beside": "reciprocal ranks", "answers": 7, "other_schema": 0,
            "overlap@10": 0.5, "first_changes": 0.25, "first_three_change": 1.0, "interleaving": None}
    models.shadow("fusion", name, expected=0, at=place.home.now)
    models.shadow("fusion", None, expected=1, at=place.home.now, seen=seen)
    for moves, (model, by) in enumerate([(name, "user:olga"), (None, GUARD)], 2):
        models.move("fusion", model, expected=moves, reason="fewer votes are up", by=by, at=place.home.now)


def test_operators_pages_have_no_barrier_that_axe_knows(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        _something_to_see(place)
        page.goto(f"{place.address}/operate/status")
        replay, found = page.locator("td a[href*=replay]").get_attribute("href"), dict[Any, Any]()
        promote(place.home.bench.ledger, evaluator_row())
        _shadowed_promoted_and_put_back(place)
        for path in ("status", "runs", "versions", "versions/version?number=2", "versions/rollback?number=1",
                     "versions/release", "versions/difference?older=1&newer=2", "models/rollback?kind=evaluator",
                     "sources", "documents?source=docs", "access?document=docs:eng/tokens.md",
                     "person?person=user:ana&source=docs", "again?source=docs", "upload", "quality",
                     "quality/report?name=answers-21000101T000000", "quality/drift", "quality/gaps", "models",
                     f"models/model?name={fusion_row().name}", replay.removeprefix("/operate/"), "acts"):
            page.goto(f"{place.address}/operate/{path}")
            found |= {(path, rule): places for rule, places in barriers(page).items()}
            if is_wider_than_a_phone(page):
                found[path, "is wider than 360 px"] = True
        assert found == {} and told == []


def test_what_operators_are_told_once_it_is_done_has_no_barrier_that_axe_knows(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        found = {}
        page.goto(f"{place.address}/operate/upload")
        page.set_input_files("#file", {"name": "parking.md", "mimeType": "text/markdown", "buffer": b"# Parking\n"})
        page.get_by_label("I know who will read it").check()
        page.get_by_role("button", name="Upload").click()
        page.get_by_text("it may be read by public").wait_for()
        found["uploaded"] = barriers(page)
        page.goto(f"{place.address}/operate/again?source=docs")
        page.locator("main form button").last.click()
        page.get_by_role("heading", name="announced").wait_for()
        found["announced"] = barriers(page)
        assert place.home.ingest(["docs"])
        page.goto(f"{place.address}/operate/versions/rollback?number=1")
        page.get_by_role("button", name="Go back to version 1").click()
        page.get_by_text("has the documents of version 1").wait_for()
        found["rolled back"] = barriers(page)
        page.goto(f"{place.address}/operate/versions/release")
        page.locator("main form button").wait_for()
        found["release"] = barriers(page)
        assert not any(found.values()) and told == []


def test_an_operator_needs_the_keyboard_alone_to_send_a_message_again(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        _something_to_see(place)
        page.goto(f"{place.address}/operate/status")
        tab_to(page, "td a[href*=replay]")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Send it again").wait_for()
        tab_to(page, "main form button")
        page.keyboard.press("Enter")
        page.wait_for_url("**/operate/status")
        assert page.locator("td a[href*=replay]").count() == 0 and told == []


def test_pages_have_no_barrier_that_axe_knows(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "olga") as (page, _):
        ask(page, place, QUESTION)
        answer, found = page.url, {}
        page.goto(f"{answer}/trace")
        candidate = page.locator(".candidates a").first.get_attribute("href")
        ask(page, place, "How often are the vault tokens rotated?")             # declined: olga may not read it
        closest = page.locator("a[href*='/passages/']").first.get_attribute("href")
        for path in ("/", "/questions", answer, page.url, f"{answer}/citations/1", f"{answer}/trace", candidate,
                     closest,
                     "/operate/status", "/operate/versions", "/operate/sources", "/operate/documents?source=docs",
                     "/operate/access", "/nothing"):
            page.goto(path if path.startswith("http") else place.address + path)
            found |= {(path, rule): places for rule, places in barriers(page).items()}
            if is_wider_than_a_phone(page):
                found[path, "is wider than 360 px"] = ["the page"]
        place.home.put_rules("docs", [("**", ["group:eng"])])                   # not to be read any more
        page.goto(answer)
        page.get_by_text("may not read it any more").wait_for()
        found |= {("revoked", rule): places for rule, places in barriers(page).items()}
        assert found == {} and not is_wider_than_a_phone(page)


def test_pages_before_and_after_a_session_and_refused_forms_have_no_barrier_that_axe_knows(browser: Any) -> None:
    local, found = LocalSessions("user:olga"), dict[str, Any]()
    with folder_in_memory() as folder, http_place(folder, works=False, local=local) as place, \
            watched(browser, place) as (page, _):

        def look(name: str) -> None:
            found.update({f"{name}: {rule}": places for rule, places in barriers(page).items()})
            if is_wider_than_a_phone(page):
                found[f"{name} is wider than 360 px"] = True

        page.goto(place.address)
        look("of a stranger")
        link = f"{place.address}/enter?token={local.token}"
        page.goto(link)
        assert page.locator(".who").inner_text() == "as user:olga"
        page.goto(f"{place.address}/operate/again?source=docs")
        page.fill("#paths", "../elsewhere.md")
        page.locator("main form button").last.click()
        page.get_by_text("Nothing was changed").wait_for()
        look("a refused form")
        page.goto(place.address)
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("heading", name="Signed out").wait_for()
        assert "start vouch serve again" in page.locator("main").inner_text()
        look("signed out")
        page.goto(link)
        page.get_by_text("the link was used before").wait_for()
        look("a link that was used")
    assert found == {}


def test_a_page_that_waits_has_no_barrier_that_axe_knows(browser: Any) -> None:
    told_of = Told([STAGE])
    with folder_in_memory() as folder, \
            http_place(folder, works=False, changed=lambda service: replace(service, progress=told_of)) as place, \
            watched(browser, place, "ana") as (page, _):
        waiting(page, place)
        page.get_by_text("Reading the closest passages …").wait_for()
        assert barriers(page) == {}


def test_axe_would_see_a_barrier(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, watched(browser, place) as (page, _):
        page.goto(place.address)
        page.evaluate("document.querySelector('label').remove()")
        assert "label in light" in barriers(page)


def test_axe_would_see_a_target_that_is_hard_to_hit(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, watched(browser, place) as (page, _):
        page.goto(place.address)
        page.evaluate("""() => { const one = document.querySelector('main button').cloneNode();
                                 one.textContent = 'x'; one.style.cssText = 'all: revert; height: 9px; padding: 0';
                                 document.querySelector('main button').before(one, one.cloneNode(true)) }""")
        assert "target-size in light" in barriers(page)


def test_a_revocation_counts_while_the_page_is_open(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place) as (page, _):
        ask(page, place, QUESTION)
        place.home.put_rules("docs", [("**", [])])
        page.locator(".citations a").first.click()
        assert "may not read it any more" in page.locator("main").inner_text()
        assert "thirty" not in page.content()


def test_what_strangers_wrote_runs_nothing_and_fetches_nothing(browser: Any) -> None:
    papers = {**PAPERS, "zebra.md": f"# Zebra {EVIL}\n\nThe zebra has {EVIL} many stripes.\n"}
    with folder_in_memory() as folder, http_place(folder, papers) as place, watched(browser, place) as (page, told):
        ask(page, place, f"How many stripes has the zebra? {EVIL}")
        assert "run" not in page.title() and page.locator("body script, img, svg, main form[action^=http]").count() == 0
        page.locator(".citations a").first.click()
        page.locator("article").wait_for()
        assert "run" not in page.title() and page.locator("body script, img, svg").count() == 0
        assert told == []


def test_a_script_that_got_into_a_page_would_be_stopped_and_seen(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place) as (page, told):
        page.goto(place.address)
        page.evaluate("""() => { const one = document.createElement('img'); one.src = 'https://evil.example/x';
                                 document.body.append(one) }""")
        page.wait_for_timeout(300)
        assert any("Content Security Policy" in one for one in told)


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


@pytest.mark.parametrize("broken", [False, True])
def test_stages_and_sentences_come_while_it_works_and_then_the_answer(browser: Any, broken: bool) -> None:
    told_of = Told([STAGE])
    with folder_in_memory() as folder, \
            http_place(folder, works=False, changed=lambda service: replace(service, progress=told_of)) as place, \
            watched(browser, place, "ana") as (page, told):
        if broken:
            page.route("**/events", lambda route: route.abort())
        waiting(page, place)
        if not broken:
            page.get_by_text("Searching the documents: 7").wait_for()
            page.get_by_text("Reading the closest passages …").wait_for()
            assert page.locator(".sentences p").count() == 0
            found = place.person("ana").post("/v1/search", {"query": "paid leave"}).json["results"]
            told_of.say(said(f"Thirty days. {EVIL}", found[0]["chunk_id"]))
            page.get_by_text("Thirty days.").wait_for()
            assert page.locator("body script, img, svg, main form").count() == 0
        with answering(place, folder):
            page.locator(".vote").wait_for(timeout=30_000)
        assert "Answer" in page.title() and page.evaluate("document.activeElement.tagName") == "H1"
        assert [one for one in told if "ERR_FAILED" not in one] == []


def test_a_sentence_that_may_not_be_read_any_more_is_taken_back(browser: Any) -> None:
    told_of = Told([STAGE])
    with folder_in_memory() as folder, \
            http_place(folder, works=False, changed=lambda service: replace(service, progress=told_of)) as place, \
            watched(browser, place, "ana") as (page, _):
        waiting(page, place)
        found = place.person("ana").post("/v1/search", {"query": "vault tokens"}).json["results"]
        told_of.say(said("Every ninety days.", found[0]["chunk_id"]))
        page.get_by_text("Every ninety days.").wait_for()
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
        told_of.say(replace(said("The engineers.", found[0]["chunk_id"]), number=3))
        with answering(place, folder):
            page.get_by_role("heading", name="Looking for an answer").wait_for(state="detached")
        assert "engineers" not in page.content() and "ninety" not in page.content()


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


def test_a_form_that_cannot_be_sent_says_so_beside_it_and_keeps_what_was_typed(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, watched(browser, place) as (page, _):
        page.goto(place.address)
        page.fill("#question", QUESTION)
        page.get_by_text("For whom is this?").click()
        page.fill("#audience", "nobody:here")
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("alert").get_by_text("nobody:here").wait_for()
        assert page.input_value("#question") == QUESTION


def test_what_is_shown_is_taken_away_when_the_page_is_looked_at_again(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, QUESTION)
        assert "thirty days" in page.content()
        place.home.put_rules("docs", [("**", [])])
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.get_by_text("may not read it any more").wait_for()
        assert "thirty days" not in page.content()


@pytest.mark.parametrize("how", [
    {"viewport": {"width": 1200, "height": 800}}, {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark"},
    {"java_script_enabled": False},
])
def test_a_follow_up_stands_in_its_thread_and_its_trace_shows_what_was_looked_at(
    browser: Any, how: dict[str, Any]
) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, \
            watched(browser, place, "ana", **how) as (page, told):
        ask(page, place, "How often are the vault tokens rotated?")
        page.fill("#question", "And by whom?")
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_role("heading", name="And by whom?").wait_for(timeout=20_000)
        thread = page.get_by_role("region", name="Asked before").inner_text()
        assert "How often are the vault tokens rotated?" in thread and "ninety days" in thread
        page.get_by_role("link", name="How it was answered").click()
        page.get_by_role("heading", name="What was looked at").wait_for()
        assert page.locator(".waterfall rect").count() >= 9
        assert "ninety days" in page.locator("mark").first.inner_text()
        if "viewport" in how:
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.locator(".candidates a").first.click()
        page.get_by_role("heading", name="What its fused score is made of").wait_for()
        assert "bm25_rank" in page.locator("main").inner_text()
        if "viewport" in how:
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert told == []


def test_readers_that_are_added_make_the_answer_smaller(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        ask(page, place, "How often are the vault tokens rotated?")
        before = page.url
        page.get_by_text("Who else is this for?").click()
        page.fill("#others", "user:ben")
        page.get_by_role("button", name="Answer it for all of us").click()
        page.wait_for_url(lambda address: address != before and "/answers/" in address)
        page.locator(".vote").wait_for(timeout=20_000)
        assert "ninety days" not in page.locator("main").inner_text() and told == []
