"""An assistant that is told where to sign its person in, does so, and asks: the SDK's own client over real sockets."""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import Place, http_place
from http_scene.oidc_provider import CLIENT, SECRET, Claims, OidcProvider, signed
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl, ValidationError

from bots.http.app import Service
from bots.http.identity.bearer import WELL_KNOWN, BearerTokens, Resource
from bots.http.identity.identities import Identities
from bots.http.identity.jwks import open_jwks
from bots.http.identity.tokens import Expected
from cli.wiring.http.identities import open_resource
from vouch.settings.surfaces import HttpSettings

AUDIENCE, BACK = "vouch-of-acme", "http://127.0.0.1:1/back"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@dataclass
class Issuer(OidcProvider):
    """Gives tokens for one audience, and notes which resource they were asked for."""

    resources: list[str] = field(default_factory=list)

    def sign_in(self, address: str) -> str:
        self.resources += parse_qs(urlsplit(address).query)["resource"]
        return super().sign_in(f"{address}&nonce=none")

    def redeemed(self, form: Claims, authorization: str) -> Claims:
        self.resources.append(form["resource"])
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": AUDIENCE, "iat": now, "exp": now + 300, **self.person}
        return {**super().redeemed(form, authorization), "access_token": signed(claims)}


@contextmanager
def place_of(issuer: str, *, assistants: bool = True, told: bool = True) -> Iterator[Place]:
    """Where tokens of the issuer alone are taken."""

    def planted(service: Service) -> Service:
        way = BearerTokens(open_jwks(f"{issuer}/jwks"), Expected(issuer, AUDIENCE, ("RS256",)))
        return replace(service, identities=Identities([way], anonymous=False), assistants=assistants,
                       resource=Resource("", issuer) if told else None)

    with folder_in_memory() as folder, http_place(folder, changed=planted, works=False) as place:
        if place.service.resource is not None:
            place.service.resource.address = place.address
        yield place


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with place_of("https://login.acme.test") as made:
        yield made


class Kept:
    """What an assistant keeps: it is known to the issuer, and has no token yet."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client = OAuthClientInformationFull(
            client_id=CLIENT, client_secret=SECRET, redirect_uris=[AnyUrl(BACK)],
            token_endpoint_auth_method="client_secret_basic")

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def signing_in(issuer: Issuer, at: str) -> OAuthClientProvider:
    came_back: dict[str, list[str]] = {}

    async def to_browser(address: str) -> None:
        came_back.update(parse_qs(urlsplit(issuer.sign_in(address)).query))

    async def from_browser() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=came_back["code"][0], state=came_back["state"][0])

    return OAuthClientProvider(at, OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)]), Kept(), to_browser, from_browser)


@pytest.mark.slow
def test_an_assistant_without_a_token_finds_where_to_get_one_and_reads_as_its_person() -> None:
    scopes = {"scopes_supported": ["openid", "email"]}
    with Issuer(callback=BACK, metadata=scopes) as issuer, place_of(issuer.issuer) as place:
        at = f"{place.address}/mcp"

        async def go() -> Any:
            http = httpx2.AsyncClient(auth=signing_in(issuer, at), timeout=60)
            async with http, Client(streamable_http_client(at, http_client=http)) as client:
                return (await client.call_tool("search", {"query": "vault tokens"})).structured_content

        assert "ninety days" in str(asyncio.run(go()))
        assert issuer.refused == [] and set(issuer.resources) == {at}


def test_what_is_told_is_what_the_settings_say_whatever_name_a_request_gives(place: Place) -> None:
    for path in ("", "/mcp"):
        told = place.visitor().get(f"{WELL_KNOWN}{path}")
        assert told.status == 200 and told.headers["content-type"] == "application/json"
        assert told.json == {"resource": f"{place.address}{path}", "resource_name": "vouch",
                             "authorization_servers": ["https://login.acme.test"],
                             "bearer_methods_supported": ["header"]}
        named = {"Host": "localhost:1", "X_Forwarded_Host": "evil.example", "Forwarded": "host=evil.example"}
        assert place.visitor().get(f"{WELL_KNOWN}{path}", **named).body == told.body
    assert place.visitor().get(f"{WELL_KNOWN}/v1/ask").status == 404
    assert place.visitor().get(WELL_KNOWN, Host="evil.example").status == 421


def test_a_401_of_the_protocol_leads_there_and_one_of_the_api_does_not(place: Place) -> None:
    led = f'Bearer resource_metadata="{place.address}{WELL_KNOWN}/mcp"'
    for headers in ({}, {"Authorization": "Basic abc"}, {"Host": "localhost:1"}):
        told = place.visitor().post("/mcp", CALL, **headers)
        assert told.status == 401 and told.headers["www-authenticate"] == led
    assert place.visitor().get("/v1/me").headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(("assistants", "told"), [(False, True), (True, False)])
def test_nothing_is_told_of_what_is_not_there(assistants: bool, told: bool) -> None:
    with place_of("https://login.acme.test", assistants=assistants, told=told) as place:
        visitor = place.visitor()
        assert visitor.get(f"{WELL_KNOWN}/mcp").status == 404
        assert visitor.get(WELL_KNOWN).status == (200 if told else 404)
        assert visitor.post("/mcp", CALL).headers.get("www-authenticate", "Bearer") == "Bearer"


def http_settings(**changed: str) -> HttpSettings:
    known = {"bearer_jwks": "keys.json", "bearer_issuer": "https://login.acme.test", "address": "https://ask.acme.test"}
    return HttpSettings.model_validate(known | changed)


def test_the_settings_say_what_is_told() -> None:
    assert open_resource(http_settings()) == Resource("https://ask.acme.test", "https://login.acme.test")
    assert open_resource(http_settings(address="https://ask.acme.test:8443/")) == Resource(
        "https://ask.acme.test:8443", "https://login.acme.test")
    assert open_resource(http_settings(bearer_jwks="")) is None
    assert open_resource(http_settings(address="")) is None


@pytest.mark.parametrize("changed", [
    {"address": "http://ask.acme.test"}, {"address": "https://ask.acme.test/vouch"},
    {"address": 'https://ask.acme.test",x="'}, {"bearer_issuer": "acme"}, {"bearer_issuer": "http://login.acme.test"},
])
def test_addresses_that_nobody_should_follow_are_not_told(
    changed: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert open_resource(http_settings(**changed)) is None
    assert "programs are not told where they get tokens" in caplog.text


@pytest.mark.parametrize("address", [
    "ask.acme.test", "https://ask.acme.test?a", "https://ana@ask.acme.test", 'https://ask.acme.test", x="'])
def test_what_is_no_address_is_no_setting(address: str) -> None:
    with pytest.raises(ValidationError, match="must be an address such as"):
        http_settings(address=address)
