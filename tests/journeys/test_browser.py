"""The pages in a real Chromium, with and without script: nothing runs, nothing leaves the origin, people get through.

It needs the package playwright and the program chromium, and says so where one is missing.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from http_place import PAPERS, Place, http_place
from memory import folder_in_memory

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium here")]

QUESTION = "How many days of paid leave has everybody?"
EVIL = ("<script>document.title='run'</script><img src=https://evil.example/x onerror=document.title='run'>"
        "<form action=https://evil.example/><svg onload=document.title='run'>\"'</textarea></title></style>")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        yield opened
        opened.close()


@contextmanager
def watched(browser: Any, place: Place, **how: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page, and what the browser complains of: its console, and requests to anywhere else."""
    context, told = browser.new_context(**how), []
    page = context.new_page()
    page.on("console", lambda message: told.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda one: told.append(one.url) if not one.url.startswith((place.address, "data:")) else None)
    yield page, told
    context.close()


def ask(page: Any, place: Place, question: str) -> None:
    page.goto(place.address)
    page.fill("#question", question)
    page.get_by_role("button", name="Ask").click()
    page.locator(".vote").wait_for(timeout=20_000)


@pytest.mark.parametrize("how", [
    {"viewport": {"width": 1200, "height": 800}}, {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark"},
    {"java_script_enabled": False},
])
def test_ask_follow_a_citation_to_its_words_and_vote(browser: Any, how: dict[str, Any]) -> None:
    with folder_in_memory() as folder, http_place(folder) as place, watched(browser, place, **how) as (page, told):
        ask(page, place, QUESTION)
        if "viewport" in how:
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.locator(".citations a").first.click()
        assert "thirty days" in page.locator("mark").first.inner_text()
        page.get_by_text("Back to the answer").click()
        page.get_by_role("button", name="Yes").click()
        page.get_by_text("your vote is counted").wait_for()
        assert told == []


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
        assert "run" not in page.title() and page.locator("script, img, svg, main form[action^=http]").count() == 0
        page.locator(".citations a").first.click()
        page.locator("article").wait_for()
        assert "run" not in page.title() and page.locator("script, img, svg").count() == 0
        assert told == []


def test_a_script_that_got_into_a_page_would_be_stopped_and_seen(browser: Any) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place, \
            watched(browser, place) as (page, told):
        page.goto(place.address)
        page.evaluate("""() => { const one = document.createElement('img'); one.src = 'https://evil.example/x';
                                 document.body.append(one) }""")
        page.wait_for_timeout(300)
        assert any("Content Security Policy" in one for one in told)
