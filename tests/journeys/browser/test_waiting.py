"""A page whose answer is being made: stages and sentences come, and go again once somebody may not read them."""

from dataclasses import replace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.browser_steps import EVIL, watched
from http_scene.http_place import http_place
from http_scene.told_progress import STAGE, Told, answering, said, waiting, waiting_with_a_sentence
from http_scene.watched_browser import NEEDS_BROWSER

pytestmark = NEEDS_BROWSER


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
            page.locator("h1.question").wait_for(timeout=30_000)
        assert "Answer" in page.title() and page.evaluate("document.activeElement.tagName") == "H1"
        assert [one for one in told if "ERR_FAILED" not in one] == []


def test_a_sentence_that_may_not_be_read_any_more_is_taken_back(browser: Any) -> None:
    with waiting_with_a_sentence(browser) as one:
        one.place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
        one.tells.say(replace(said("The engineers.", one.chunk_id), number=3))
        with answering(one.place, one.folder):
            one.page.get_by_role("heading", name="Looking for an answer").wait_for(state="detached")
        assert "engineers" not in one.page.content() and "ninety" not in one.page.content()
