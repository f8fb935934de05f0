"""Signing in with a provider of another site in a real Chromium, which decides what cookies and forms do."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_scene.browser_steps import barriers, until
from http_scene.http_place import Place
from http_scene.oidc_place import oidc_place
from http_scene.oidc_provider import OidcProvider
from http_scene.watched_browser import NEEDS_BROWSER
from machines.ledger_place import new_ledger

from bots.http.identity.oidc.sessions import COOKIE
from consumers.process import now
from services.answering.identity import EndedInLedger

pytestmark = NEEDS_BROWSER


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    """Its page is at localhost, and the service at 127.0.0.1: to a browser these are two sites."""
    with OidcProvider() as made:
        made.metadata = {"authorization_endpoint": f"{made.issuer.replace('127.0.0.1', 'localhost')}/authorize"}
        yield made


@pytest.fixture
def place(provider: OidcProvider, tmp_path: Path) -> Iterator[Place]:
    ledger = new_ledger(tmp_path / "ended.sqlite")
    with oidc_place(provider, EndedInLedger(ledger.ended, now)) as made:
        yield made
    ledger.close()


def test_in_by_the_page_of_the_provider_and_out_again(browser: Any, place: Place, provider: OidcProvider) -> None:
    context, told = browser.new_context(), list[str]()
    page = context.new_page()
    page.on("console", lambda message: told.append(message.text))
    page.goto(place.address)
    page.get_by_role("link", name="Sign in").click()
    assert page.title() == "Provider" and page.url.startswith("http://localhost:")
    page.get_by_role("button", name="Sign in").click()      # from another site: cookies that are strict stay at home
    page.wait_for_url(f"{place.address}/")
    assert page.locator(".who").inner_text() == "as user:ana"
    (session,) = [one for one in context.cookies() if one["name"] == COOKIE]
    assert (session["sameSite"], session["httpOnly"], session["domain"]) == ("Lax", True, "127.0.0.1")
    assert COOKIE not in page.evaluate("document.cookie")

    page.fill("#question", "How often are the vault tokens rotated?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_text("ninety days").first.wait_for(timeout=20_000)
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Signed out").wait_for()
    assert barriers(page) == {} and COOKIE not in [one["name"] for one in context.cookies()]
    page.goto(place.address)
    assert page.locator(".who").inner_text() == "public documents only"
    assert told == [] and provider.refused == []
    context.close()


def test_a_form_goes_nowhere_else_and_none_of_another_site_comes_with_a_session(
    browser: Any, place: Place, provider: OidcProvider
) -> None:
    context, told = browser.new_context(), list[str]()
    page = context.new_page()
    page.on("console", lambda message: told.append(message.text))
    page.goto(f"{place.address}/sign-in")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{place.address}/")
    page.evaluate("address => { document.querySelector('main form').action = address }", f"{provider.issuer}/token")
    page.evaluate("document.querySelector('main form').submit()")
    until(page, lambda: any("form-action 'self'" in one for one in told))
    page.wait_for_timeout(300)
    assert page.url == f"{place.address}/" and provider.refused == []

    mark = page.locator("header input[name=mark]").get_attribute("value")
    page.goto(f"{provider.issuer.replace('127.0.0.1', 'localhost')}/authorize")
    page.evaluate("""([address, mark]) => { document.body.innerHTML = '<form method=post><input name=mark></form>';
                     document.forms[0].action = address; document.forms[0].mark.value = mark }""",
                  [f"{place.address}/leave", mark])
    with page.expect_navigation() as left:
        page.evaluate("document.forms[0].submit()")
    assert left.value.status == 403
    page.goto(place.address)
    assert page.locator(".who").inner_text() == "as user:ana"
    context.close()
