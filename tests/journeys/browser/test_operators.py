"""Operators in a real Chromium: back to an earlier version, uploads, quality, messages sent again."""

from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.browser_steps import tab_to, until, watched
from http_scene.http_place import Paper, http_place
from http_scene.seen_by_operators import something_to_see
from http_scene.watched_browser import NEEDS_BROWSER

pytestmark = NEEDS_BROWSER


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
        something_to_see(place)
        page.goto(f"{place.address}/operate/status")
        page.get_by_role("link", name="send again").click()
        page.get_by_role("button", name="Send it again").click()
        page.wait_for_url("**/operate/status")
        page.get_by_role("link", name="Quality", exact=True).click()
        page.get_by_role("link", name="answers-21000101T000000").click()
        for picture in page.locator("img").all():
            if "viewport" in how:
                until(page, lambda one=picture: one.evaluate("one => one.complete"))
                assert picture.evaluate("one => one.naturalWidth > 100")
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


def test_an_operator_needs_the_keyboard_alone_to_send_a_message_again(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        something_to_see(place)
        page.goto(f"{place.address}/operate/status")
        tab_to(page, "td a[href*=replay]")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Send it again").wait_for()
        tab_to(page, "main form button")
        page.keyboard.press("Enter")
        page.wait_for_url("**/operate/status")
        assert page.locator("td a[href*=replay]").count() == 0 and told == []
