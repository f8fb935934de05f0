"""A real Chromium, and all that it says of a page: its console, its requests, what strangers put into it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hostile_files.hostile import MARK

from http_scene.http_place import HEADER, SECRET, Place

CHROMIUM = shutil.which("chromium")
MISSING = CHROMIUM is None and os.environ.get("VOUCH_REQUIRE_BROWSER") != "1"
NEEDS_BROWSER = [pytest.mark.slow, pytest.mark.skipif(MISSING, reason="there is no chromium here")]
_PARTS = """mark => {
  const found = [...document.querySelectorAll(`[${mark}]`)].map((one) => `an element of theirs: ${one.outerHTML}`);
  for (const one of document.querySelectorAll("a[href], area[href]"))
    if (!["http:", "https:"].includes(one.protocol)) found.push(`a link to ${one.href}`);
  for (const one of document.forms) {
    const place = one.getAttribute("action");
    if (place !== null && new URL(place, location).origin !== location.origin) found.push(`a form for ${place}`);
  }
  for (const one of document.querySelectorAll("[formaction]")) found.push(`a button for ${one.formAction}`);
  if (window.ran) found.push("a script of theirs ran");
  return found.map((one) => one.slice(0, 300));
}"""


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "the program chromium is missing, and VOUCH_REQUIRE_BROWSER=1 asks for it"
    with sync_playwright() as running:
        opened = running.chromium.launch(
            executable_path=CHROMIUM,
            args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", "--no-sandbox"],
        )
        yield opened
        opened.close()


class Watched:
    """A page of one person, with what was wrong on it and every address that a form of it was sent to."""

    def __init__(self, page: Any, place: Place) -> None:
        self.page, self.place = page, place
        self.wrong: list[str] = []
        self.sent: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.wrong.append("a dialog"), dialog.dismiss()))
        page.on("request", self._request)
        page.context.on("page", lambda other: self.wrong.append(f"a window: {other.url}"))

    def open(self, path: str) -> None:
        """The page there, looked at."""
        self.page.goto(self.place.address + path, wait_until="load")
        self.look()

    def look(self) -> None:
        self.wrong += self.page.evaluate(_PARTS, MARK)

    def _console(self, message: Any) -> None:
        # that a page of ours says 403 or 404 is no complaint of the browser
        if not message.text.startswith("Failed to load resource: the server responded with a status of 4"):
            self.wrong.append(f"console: {message.text}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((f"{self.place.address}/", "data:")):
            self.wrong.append(f"a request to {request.url}")
        if request.method != "GET":
            self.sent.append(request.url.removeprefix(self.place.address))


@contextmanager
def watched(browser: Any, place: Place, person: str) -> Iterator[Watched]:
    signed = {HEADER: person, "X-Vouch-Proxy-Secret": SECRET}
    context = browser.new_context(extra_http_headers=signed, service_workers="block")
    try:
        yield Watched(context.new_page(), place)
    finally:
        context.close()
