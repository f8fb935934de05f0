"""Pages that stay open: what their reader may not read any more goes from the screen, and nothing else is touched."""

import json
from datetime import timedelta
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.browser_steps import QUESTION, ask, watched
from http_scene.http_place import Place, http_place
from http_scene.told_progress import SENTENCE, waiting_with_a_sentence
from http_scene.watched_browser import NEEDS_BROWSER
from learning_scene.answered import leave_answer

from flows.shared.home_files.weekly_reports import write_files

pytestmark = NEEDS_BROWSER

TOKENS = "How often are the vault tokens rotated?"
TYPED = "And who told"


def look_again(page: Any) -> None:
    """As when somebody comes back to the page; done once the page has been fetched and compared."""
    with page.expect_response("**/*"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(200)


def only_engineers_lose(place: Place) -> None:
    place.home.put_rules("docs", [("**", ["public"]), ("eng/**", []), ("people/**", ["group:people"])])


def follow_up_on_tokens(page: Any, place: Place) -> None:
    """The answer is made from what everybody may read; above it stands one from what engineers may."""
    ask(page, place, TOKENS)
    follows = page.locator(".vote input[name=answer]").get_attribute("value")
    asked = {"question": QUESTION, "follows": follows, "filters": {"paths": ["leave.md"]}}
    page.goto(f"{place.address}/answers/{place.person('ana').post('/v1/ask', asked).json['id']}")
    assert "ninety days" in page.locator(".thread").inner_text()


def test_what_was_asked_before_goes_once_it_may_not_be_read_and_what_is_typed_stays(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        follow_up_on_tokens(page, place)
        page.get_by_text("For whom is this?").click()
        page.fill("#audience", "user:ben")
        page.locator("#question").press_sequentially(TYPED)
        only_engineers_lose(place)
        look_again(page)
        assert page.locator(".thread").count() == 0 and "ninety" not in page.content()
        assert page.get_by_role("heading", name=QUESTION).is_visible()
        page.keyboard.type(" you?")
        assert page.input_value("#question") == f"{TYPED} you?" and page.input_value("#audience") == "user:ben"
        assert page.locator("#audience").is_visible() and told == []


@pytest.mark.parametrize("where", ["answer", "citation", "trace", "passage of the trace", "history"])
def test_a_page_that_is_given_the_same_again_is_not_touched(browser: Any, where: str) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, \
            watched(browser, place, "ana", viewport={"width": 400, "height": 300}) as (page, told):
        follow_up_on_tokens(page, place)
        answer = page.url
        if where != "answer":
            page.goto({"citation": f"{answer}/citations/1", "history": f"{place.address}/questions"}.get(
                where, f"{answer}/trace"))
        if where == "passage of the trace":
            with page.expect_navigation():
                page.locator(".candidates a").first.click()
        page.evaluate("document.querySelector('#main > :last-child').mark = 'the same'")
        page.evaluate("window.scrollTo(0, 120)")
        scrolled = page.evaluate("window.scrollY")
        look_again(page)
        assert page.evaluate("document.querySelector('#main > :last-child').mark") == "the same"
        assert page.evaluate("window.scrollY") == scrolled and told == []


def test_a_vote_that_was_counted_stays_so_on_the_page(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, QUESTION)
        page.get_by_role("button", name="Yes").click()
        page.get_by_text("your vote is counted").wait_for()
        look_again(page)
        assert page.get_by_text("your vote is counted").is_visible()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_service_that_does_not_answer_now_takes_nothing_and_is_looked_at_again(browser: Any, status: int) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        page.locator("#question").press_sequentially(TYPED)
        refused = "<title>No</title><main id=main><h1>Not now</h1></main>"
        page.route("**/answers/*", lambda route: route.fulfill(status=status, content_type="text/html", body=refused))
        look_again(page)
        assert "ninety" in page.content() and page.input_value("#question") == TYPED
        page.unroute("**/answers/*")
        only_engineers_lose(place)
        look_again(page)
        assert "ninety" not in page.content()


def test_a_page_that_waits_goes_on_waiting_where_it_is_refused_for_a_moment(browser: Any) -> None:
    with waiting_with_a_sentence(browser) as one:
        one.page.route("**/events", lambda route: route.abort())
        one.page.route("**/answers/*", lambda route: route.fulfill(status=429, content_type="text/html", body="No"))
        with one.page.expect_response(lambda reply: reply.status == 429):
            one.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        one.page.wait_for_timeout(200)
        assert one.page.get_by_role("heading", name="Looking for an answer").is_visible()


def test_a_trace_and_the_page_of_a_passage_lose_what_may_not_be_read_any_more(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, \
            watched(browser, place, "ana") as (page, _), watched(browser, place, "ana") as (other, _), \
            watched(browser, place, "olga") as (operator, _):
        ask(page, place, f"{QUESTION} And the vault tokens?")
        trace = f"{page.url}/trace"
        page.goto(trace)
        other.goto(trace)
        other.locator(".candidates a", has_text="Tokens").first.click()
        other.get_by_role("heading", name="Tokens").wait_for()
        assert "Tokens" in page.locator(".candidates").inner_text()
        only_engineers_lose(place)
        for one in (page, other):
            look_again(one)
            assert "Tokens" not in one.content() and "ninety" not in one.content()
        operator.goto(trace)
        assert "Leave" in operator.locator(".candidates").inner_text()
        place.home.put_rules("docs", [("**", [])])
        look_again(operator)
        assert "Leave" not in operator.content() and operator.get_by_text("No passage was looked at").is_visible()


def test_the_page_of_a_citation_loses_a_document_that_may_not_be_read_any_more(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        ask(page, place, TOKENS)
        page.locator(".citations a").first.click()
        assert "ninety days" in page.locator("article").inner_text()
        only_engineers_lose(place)
        look_again(page)
        assert "ninety" not in page.content()


def test_what_an_operator_judges_goes_once_a_reader_of_the_question_may_not_read_it(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, _):
        leave_answer(place.home.bench.ledger, 1, place.home.now, asker="user:olga", text=QUESTION)
        page.goto(f"{place.address}/operate/labels")
        assert "Tell your manager" in page.locator(".passage").inner_text()
        place.home.put_rules("docs", [("**", [])])
        look_again(page)
        assert "manager" not in page.content() and page.get_by_text("may not be judged any more").is_visible()


def test_no_other_passage_comes_under_a_hand_that_is_about_to_judge(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, _):
        leave_answer(place.home.bench.ledger, 1, place.home.now, asker="user:olga", text=QUESTION)
        page.goto(f"{place.address}/operate/labels")
        shown, button = page.locator(".passage").inner_text(), page.get_by_role("button", name="3 answers it")
        button.focus()
        place.home.now += timedelta(minutes=1)
        leave_answer(place.home.bench.ledger, 2, place.home.now, asker="user:olga", text="Whom does one tell?")
        look_again(page)
        assert page.get_by_text("Question 2 of 2").is_visible() and page.get_by_text(QUESTION).is_visible()
        assert page.locator(".passage").inner_text() == shown
        assert page.evaluate("document.activeElement.value") == "3"
        button.click()
        page.get_by_role("button", name="Take the last one back").wait_for()
        assert [one.question for one in place.home.bench.ledger.labels.list(["judged"])] == [QUESTION]


def test_documents_that_gaps_name_go_at_once_and_what_was_found_now_after_ten_minutes(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, _):
        gap = {"title": ["leave"], "questions": 4, "askers": 4, "why": {"declined": 4}, "before": None, "examples": [],
               "allowed_examples": [], "documents": [{"source": "docs", "path": "leave.md"}]}
        report = {"from": "2026-10-26", "until": "2026-11-23", "fewest_askers": 3, "gaps": [gap]}
        write_files(place.home.bench.home, place.home.now.date(), {"json": json.dumps(report)})
        page.clock.install()
        page.goto(f"{place.address}/operate/quality/gaps")
        assert "leave.md" in page.content()
        place.home.put_rules("docs", [("**", [])])
        look_again(page)
        assert "leave.md" not in page.content() and page.get_by_text("4 declined").is_visible()
        page.get_by_role("button", name="Look now").click()
        page.get_by_text("Nothing was asked in vain").wait_for()
        page.clock.fast_forward(590_000)
        page.wait_for_timeout(300)
        assert page.get_by_text("Nothing was asked in vain").is_visible()
        page.clock.fast_forward(70_000)
        page.get_by_text("4 declined").wait_for()


def test_sentences_of_a_page_that_waits_go_though_nothing_more_is_told(browser: Any) -> None:
    with waiting_with_a_sentence(browser) as one:
        look_again(one.page)
        one.page.get_by_text(SENTENCE).wait_for()                       # told again, as it may be read
        assert one.page.locator(".sentences p").count() == 1
        only_engineers_lose(one.place)
        look_again(one.page)
        one.page.get_by_text(SENTENCE).wait_for(state="detached")
        assert one.page.get_by_role("heading", name="Looking for an answer").is_visible()


def test_sentences_go_where_events_break_off(browser: Any) -> None:
    """Nobody looks then whether they may be read."""
    with waiting_with_a_sentence(browser) as one:
        one.page.route("**/events", lambda route: route.abort())
        one.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        one.page.get_by_text(SENTENCE).wait_for(state="detached")


def test_a_page_looks_every_minute_by_itself(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, _):
        page.clock.install()
        ask(page, place, TOKENS)
        only_engineers_lose(place)
        page.clock.fast_forward(50_000)
        page.wait_for_timeout(300)
        assert "ninety" in page.content()
        page.clock.fast_forward(11_000)
        page.get_by_text("may not read it any more").wait_for()
        assert "ninety" not in page.content()
