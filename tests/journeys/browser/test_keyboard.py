"""Each act of the pages by keyboard alone, in a real Chromium: whoever cannot use a mouse is kept from none."""

from pathlib import Path
from typing import Any

from homes.memory import folder_in_memory
from http_scene.browser_steps import press, tab_to, watched, write
from http_scene.http_place import Paper, Place, http_place
from http_scene.watched_browser import NEEDS_BROWSER

pytestmark = NEEDS_BROWSER

TOKENS = "How often are the vault tokens rotated?"


def ask(page: Any, place: Place, question: str, *, of: str = "") -> None:
    page.goto(place.address)
    write(page, "textarea#question", question)
    if of:
        press(page, "main form details summary")
        write(page, "#audience", of)
    press(page, "main form button:not(.quiet)")
    page.locator("h1.question").wait_for(timeout=20_000)


def test_a_vote_with_its_reason(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        ask(page, place, TOKENS)
        write(page, "#reason", "It changed in June")
        tab_to(page, "#category")
        page.keyboard.type("It is outd")
        press(page, "button[name=vote][value=down]", "Space")
        page.get_by_text("your vote is counted").wait_for()
        place.stop.wait(0.5)
        (vote,) = place.home.bench.ledger.feedback.list()
        assert (vote.vote, vote.category, vote.reason) == ("down", "outdated", "It changed in June") and told == []


def test_a_follow_up_and_back_to_what_was_asked_before(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        ask(page, place, TOKENS)
        write(page, "textarea#question", "And by whom?")
        press(page, "form:has(#question) button")
        page.get_by_role("heading", name="And by whom?").wait_for(timeout=20_000)
        press(page, ".thread a")
        page.get_by_role("heading", name=TOKENS).wait_for()
        assert "ninety days" in page.locator("main").inner_text() and told == []


def test_the_question_and_the_answer_are_for_further_readers(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, "ana") as (page, told):
        ask(page, place, TOKENS, of="user:ben")
        assert "ninety days" not in page.locator("main").inner_text()
        ask(page, place, TOKENS)
        assert "ninety days" in page.locator("main").inner_text()
        before = page.url
        press(page, ".share summary")
        write(page, "#others", "user:ben")
        press(page, ".share button")
        page.wait_for_url(lambda address: address != before and "/answers/" in address)
        page.locator("h1.question").wait_for(timeout=20_000)
        assert "ninety days" not in page.locator("main").inner_text() and told == []


def test_going_back_to_an_earlier_version_and_letting_ingests_go_on(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        place.home.put("docs", "parking.md", Paper("# Parking\n\nThe car park opens at seven.\n"))
        assert place.home.ingest(["docs"])
        page.goto(place.address)
        press(page, "header a[href='/operate/status']")
        press(page, "nav a[href='/operate/versions']")
        press(page, "a[href='/operate/versions/rollback?number=1']")
        press(page, "main form button")
        page.get_by_text("has the documents of version 1").wait_for()
        press(page, "nav a[href='/operate/versions']")
        press(page, "a[href='/operate/versions/release']")
        press(page, "main form button")
        page.wait_for_url("**/operate/versions")
        assert place.home.bench.ledger.versions.current() == 3 and place.home.bench.ledger.holds.current() is None
        assert told == []


def test_an_upload(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "parking.md"
    file.write_text("# Parking\n")
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place, "olga") as (page, told):
        page.on("filechooser", lambda chooser: None)        # from now on the browser hands it on
        page.goto(f"{place.address}/operate/sources")
        press(page, "main a[href='/operate/upload']")
        tab_to(page, "#file")
        with page.expect_file_chooser() as opened:          # the system's own, with a keyboard of its own
            page.keyboard.press("Space")
        opened.value.set_files(file)
        write(page, "#path", "travel/")
        press(page, "input[name=sure]", "Space")
        press(page, "main form button")
        page.get_by_text("it may be read by public").wait_for()
        assert "travel/parking.md" in page.locator("main").inner_text() and told == []
