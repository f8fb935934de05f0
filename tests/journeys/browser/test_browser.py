"""The pages in a real Chromium, with and without script: nothing runs, nothing leaves the origin, people get through.

It needs the program chromium, and says so where it is missing; with VOUCH_REQUIRE_BROWSER=1 it fails there.
"""

from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.browser_steps import EVIL, QUESTION, ask, tab_to, until, watched
from http_scene.http_place import PAPERS, http_place
from http_scene.watched_browser import NEEDS_BROWSER

pytestmark = NEEDS_BROWSER


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
            page.locator("h1.question").wait_for(timeout=20_000)
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
        page.locator("h1.question").wait_for(timeout=20_000)
        tab_to(page, ".citations a")
        page.keyboard.press("Enter")
        assert "thirty days" in page.locator("mark").first.inner_text() and told == []


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
        until(page, lambda: any("Content Security Policy" in one for one in told))


def test_a_form_that_cannot_be_sent_says_so_beside_it_and_keeps_what_was_typed(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, watched(browser, place) as (page, _):
        page.goto(place.address)
        page.fill("#question", QUESTION)
        page.get_by_text("For whom is this?").click()
        page.fill("#audience", "nobody:here")
        page.get_by_role("button", name="Ask").click()
        alert = page.get_by_role("alert").filter(has_text="nobody:here")
        alert.wait_for()
        assert page.input_value("#question") == QUESTION
        assert alert.locator("a, h1, form").count() == 0 and "Status" not in alert.inner_text()


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


_BROKEN = """() => [...document.querySelectorAll(".candidates th[scope=col], .candidates td")].flatMap((cell) => {
  const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), found = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode())
    for (const word of !node.parentElement.checkVisibility() ? [] : node.data.matchAll(/[A-Za-z]+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
      if (lines.size > 1) found.push(word[0]);
    }
  return found;
})"""


@pytest.mark.parametrize("width", [740, 1100])
def test_no_word_of_a_wide_table_is_broken(browser: Any, width: int) -> None:
    title = "# Leave and everything else that has to do with it, for all who work here, in whichever country and office"
    papers = {"leave.md": PAPERS["leave.md"].replace("# Leave", title)}
    with folder_in_memory() as folder, http_place(folder, papers) as place, \
            watched(browser, place, "ana", viewport={"width": width, "height": 800}) as (page, told):
        ask(page, place, QUESTION)
        page.get_by_role("link", name="How it was answered").click()
        page.locator(".candidates").wait_for()
        assert page.evaluate(_BROKEN) == [] and told == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_readers_that_are_added_make_the_answer_smaller(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        ask(page, place, "How often are the vault tokens rotated?")
        before = page.url
        page.get_by_text("Who else is this for?").click()
        page.fill("#others", "user:ben")
        page.get_by_role("button", name="Answer it for all of us").click()
        page.wait_for_url(lambda address: address != before and "/answers/" in address)
        page.locator("h1.question").wait_for(timeout=20_000)
        assert "ninety days" not in page.locator("main").inner_text() and told == []
