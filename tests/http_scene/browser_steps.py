"""What people do in a real Chromium, by hand and by keyboard, and what axe knows to be in their way."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from axe_playwright_python.sync_playwright import Axe

from http_scene.http_place import HEADER, SECRET, Place

# All that axe looks for by itself, and what only WCAG 2.2 asks for: targets that are large enough to hit.
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_MOST_TABS = 80
QUESTION = "How many days of paid leave has everybody?"
EVIL = ("<script>document.title='run'</script><img src=https://evil.example/x onerror=document.title='run'>"
        "<form action=https://evil.example/><svg onload=document.title='run'>\"'</textarea></title></style>")


@contextmanager
def watched(browser: Any, place: Place, person: str = "", **how: Any) -> Iterator[tuple[Any, list[str]]]:
    """A page, of a person if one is named, and what the browser complains of: its console, requests to elsewhere."""
    signed = {HEADER: person, "X-Vouch-Proxy-Secret": SECRET} if person else {}
    context, told = browser.new_context(extra_http_headers=signed, **how), []
    page = context.new_page()
    page.on("console", lambda message: told.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda one: told.append(one.url) if not one.url.startswith((place.address, "data:")) else None)
    yield page, told
    context.close()


def sign_in(context: Any, name: str) -> None:
    context.set_extra_http_headers({HEADER: name, "X-Vouch-Proxy-Secret": SECRET} if name else {})


def until(page: Any, what: Callable[[], object], seconds: float = 20.0) -> None:
    """`what` is true; meanwhile the browser goes on. A busy machine has as long as it needs."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, f"not within {seconds:.0f} s"
        page.wait_for_timeout(50)


def look(page: Any, seen: str = "visible") -> None:
    """As when the tab is hidden, or somebody comes back to it."""
    page.evaluate("""seen => { Object.defineProperty(document, "visibilityState", { value: seen, configurable: true });
                     document.dispatchEvent(new Event("visibilitychange")) }""", seen)


def ask(page: Any, place: Place, question: str) -> None:
    page.goto(place.address)
    page.fill("#question", question)
    page.get_by_role("button", name="Ask").click()
    page.locator("h1.question").wait_for(timeout=20_000)


def tab_to(page: Any, place: str) -> None:
    """The keyboard stands on it."""
    for _ in range(_MOST_TABS):
        if page.evaluate("place => document.activeElement.matches(place)", place):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{place} is not reached")


def press(page: Any, place: str, key: str = "Enter") -> None:
    """A link leads to its page."""
    tab_to(page, place)
    if page.evaluate("document.activeElement.matches('a[href]')"):
        with page.expect_navigation():
            page.keyboard.press(key)
    else:
        page.keyboard.press(key)


def write(page: Any, place: str, words: str) -> None:
    tab_to(page, place)
    page.keyboard.type(words)


def is_wider_than_a_phone(page: Any) -> bool:
    """Whether one would have to scroll sideways at 360 px."""
    before = page.viewport_size
    page.set_viewport_size({"width": 360, "height": 640})
    wide = not page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.set_viewport_size(before)
    return wide


def barriers(page: Any) -> dict[str, list[str]]:
    """Rule → the elements that break it, in light and in dark."""
    found = dict[str, list[str]]()
    for colors in ("light", "dark"):
        page.emulate_media(color_scheme=colors)
        for one in Axe().run(page, options={"runOnly": _RULES}).response["violations"]:
            found[f"{one['id']} in {colors}"] = [node["html"] for node in one["nodes"]]
    return found
