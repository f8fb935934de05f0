"""Whoever signs in comes back to the page that they wanted, if it is one of this service, and to nothing else."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from http_scene.http_client import Client, Reply
from http_scene.http_place import Place
from http_scene.oidc_place import oidc_place
from http_scene.oidc_provider import OidcProvider
from machines.ledger_place import new_ledger

from bots.http.page.returning import local_page
from services.answering.identity import EndedInLedger

PAGES = (
    "/questions", "/answers/0f3a", "/answers/0f3a?voted=1", "/answers/0f3a/citations/1", "/operate/status",
    "/operate/documents?source=docs&state=&after=a%2Fb%20c.md", "/operate/access?document=docs:eng/tokens.md",
)  # fmt: skip
ELSEWHERE = (
    "//evil.example", "//evil.example/answers/1", "/\\evil.example", "\\\\evil.example", "https://evil.example",
    "https:evil.example", "HTTPS:/evil.example", "javascript:alert(1)", "evil.example", "/%2F/evil.example", "/%2Fevil",
    "%2F%2Fevil.example", "/%5Cevil.example", "/\t/evil.example", "/\n/evil.example", " //evil.example",
    "/answers//evil.example", "/answers/\\evil.example", "/answers/1\n", "/answers/1\r\nSet-Cookie: a=b",
    "/answers/1#x", "/.//evil.example", "/@evil.example", "/sign-in", "/sign-in?to=/questions", "/enter?token=1",
    "/leave", "/v1/me", "/answers@evil.example", "/answers/" + "a" * 1000, "",
    "/answers/../sign-in?to=/questions", "/answers/%2e%2e/leave", "/answers/.%2E/leave", "/operate/./status",
    "/answers/..", "/answers/%2e", "/answers/a%2f..%2f../leave",
)  # fmt: skip


@pytest.mark.parametrize("address", PAGES)
def test_a_page_of_the_service_is_kept(address: str) -> None:
    assert local_page(address) == address


@pytest.mark.parametrize("address", ELSEWHERE)
def test_what_leads_elsewhere_becomes_the_first_page(address: str) -> None:
    assert local_page(address) == "/"


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with OidcProvider(callback="http://127.0.0.1:1/sign-in/callback") as made:
        yield made


@pytest.fixture(scope="module")
def place(provider: OidcProvider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder: Path = tmp_path_factory.mktemp("ended")
    ledger = new_ledger(folder / "ended.sqlite")
    with oidc_place(provider, EndedInLedger(ledger.ended, lambda: datetime.now(UTC))) as made:
        yield made
    ledger.close()


def signed_in(provider: OidcProvider, client: Client, begin: str) -> Reply:
    back = urlsplit(provider.sign_in(client.get(begin).headers["location"]))
    return client.get(f"{back.path}?{back.query}")


@pytest.mark.slow
def test_who_opened_a_link_to_an_answer_comes_back_to_it(place: Place, provider: OidcProvider) -> None:
    wanted, client = "/answers/0f3a/citations/1?from=a%2Cb;c", place.visitor()
    refused = client.get(wanted)
    link = re.search('<a href="(/sign-in[^"]*)">Sign in</a>', refused.text)
    assert refused.status == 404 and link
    assert signed_in(provider, client, link[1]).headers["location"] == wanted
    assert "Sign in" not in client.get(wanted).text                         # is signed in, and is told the same
    again = place.visitor()
    assert 'href="/sign-in?to=%2Foperate%2Fstatus"' in again.get("/operate/status").text
    assert 'href="/sign-in"' in again.get("/").text


@pytest.mark.slow
def test_whoever_wants_to_vote_signs_in_and_comes_back_to_the_answer(place: Place, provider: OidcProvider) -> None:
    client = place.visitor()
    asked = client.ask_on_page("How many days of paid leave has everybody?")
    link = re.search('<a href="(/sign-in[?]to=[^"]*)">Sign in to vote</a>', asked.text)
    assert link and "Was this useful?" not in asked.text
    back = client.get(signed_in(provider, client, link[1]).headers["location"])
    assert "thirty days" in back.text and "Was this useful?" in back.text and "Sign in to vote" not in back.text


@pytest.mark.slow
@pytest.mark.parametrize("address", ["//evil.example", "/\\evil.example", "https://evil.example", "/%2F/evil.example"])
def test_a_sign_in_leads_nowhere_else(place: Place, provider: OidcProvider, address: str) -> None:
    client = place.visitor()
    for encoded in (quote(address, safe=""), quote(quote(address, safe=""), safe="")):
        assert signed_in(provider, client, f"/sign-in?to={encoded}").headers["location"] == "/"


@pytest.mark.slow
def test_several_sign_ins_of_one_browser_lead_each_to_its_own_page(place: Place, provider: OidcProvider) -> None:
    client, pages = place.visitor(), ("/questions", "/answers/0f3a", "/")
    begun = [client.get(f"/sign-in?to={page}").headers["location"] for page in pages]
    for location, page in zip(begun, pages, strict=True):
        back = urlsplit(provider.sign_in(location))
        told = client.get(f"{back.path}?{back.query}")
        assert (told.status, told.headers.get("location")) == (303, page)
        assert client.get(f"{back.path}?{back.query}").status == 401
    assert client.get("/v1/me").json["reader"] == "user:ana"
    for _ in range(60):                     # cookies of sign-ins that are not ended keep nobody out
        assert client.get("/sign-in?to=/answers/" + "a" * 900).status == 303
        client.cookies = {name: value for name, value in client.cookies.items() if value}      # as browsers do
    assert len(client.cookies) < 8
    assert signed_in(provider, client, "/sign-in?to=/questions").headers["location"] == "/questions"
