"""Signing in with a real provider: oidc-provider from the npm registry, as a process of its own."""

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import http_place
from http_scene.oidc_provider import CLIENT, SECRET
from http_scene.served import made_home, serving
from servers.oidc import node_provider
from servers.process import free_port

from bots.http.app import Service
from bots.http.identity.bearer import BearerTokens
from bots.http.identity.caller import Credentials
from bots.http.identity.identities import Identities
from bots.http.identity.jwks import open_jwks
from bots.http.identity.oidc.provider import Provider, ProviderKeys
from bots.http.identity.oidc.sessions import COOKIE, Seal, SignedSessions
from bots.http.identity.oidc.sign_in import SignIn
from bots.http.identity.tokens import Expected, SignedTokens
from bots.http.page.signing import LOGOUT
from consumers.process import now
from services.answering.identity import EndedInLedger
from vouch.adapters.ledger import Ledger
from vouch.errors import Unidentified

CALLBACK = "http://127.0.0.1:1/sign-in/callback"
RESOURCE, LEAVE = "https://ask.acme.test/mcp", "/v1/documents/docs/leave.md"
pytestmark = [pytest.mark.slow, pytest.mark.services]


def known_to(issuer: str, ledger: Ledger) -> SignIn:
    provider, seal = Provider(issuer, CLIENT, SECRET, CALLBACK), Seal(b"k" * 32)
    tokens = SignedTokens(ProviderKeys(provider), Expected(issuer, CLIENT, ("RS256",)), "VOUCH_HTTP__OIDC")
    return SignIn(provider, tokens, CLIENT, seal, SignedSessions(seal, 8.0, EndedInLedger(ledger.ended, now)))


def brought_back(address: str, name: str) -> dict[str, str]:
    """What the provider sends the browser back with, once somebody has signed in there and agreed."""
    with httpx.Client(timeout=10) as browser:
        return signed_in(browser, address, name)


def signed_in(browser: httpx.Client, address: str, name: str) -> dict[str, str]:
    reply = browser.get(address)
    for _ in range(12):
        if reply.is_redirect:
            place = urljoin(str(reply.url), reply.headers["location"])
            if urlsplit(place).path == urlsplit(CALLBACK).path:
                return {key: values[0] for key, values in parse_qs(urlsplit(place).query).items()}
            reply = browser.get(place)
            continue
        action = re.search(r'action="([^"]+)"', reply.text)
        prompt = re.search(r'name="prompt" value="([^"]+)"', reply.text)
        assert action and prompt, reply.text
        form = {"prompt": prompt[1], "login": name, "password": "x"}
        reply = browser.post(urljoin(str(reply.url), action[1]), data=form)
    raise AssertionError("the provider never sent the browser back")


def signed_out(browser: httpx.Client, issuer: str) -> None:
    """Of the provider, as a person does it there."""
    asked = browser.get(f"{issuer}/session/end").text
    secret = re.search(r'name="xsrf" value="([^"]+)"', asked)
    assert secret, asked
    browser.post(f"{issuer}/session/end/confirm", data={"xsrf": secret[1], "logout": "yes"})


def test_who_signs_out_at_the_provider_is_signed_out_here_in_that_browser_alone(ledger: Ledger) -> None:
    made: list[SignIn] = []

    def planted(service: Service) -> Service:
        made.append(known_to("http://127.0.0.1:9", ledger))
        return replace(service, sign_in=made[0], identities=Identities([made[0].sessions], anonymous=True))

    def lives(session: str) -> bool:
        return place.visitor().get("/v1/me", Cookie=f"{COOKIE}={session}").status == 200

    with folder_in_memory() as folder, http_place(folder, works=False, changed=planted) as place:
        callback = f"{place.address}{urlsplit(CALLBACK).path}"
        with node_provider(CLIENT, SECRET, callback, f"{place.address}{LOGOUT}") as issuer:
            known = known_to(issuer, ledger)
            known.provider.callback = callback
            made[0].provider, made[0].tokens = known.provider, known.tokens
            sessions = {}
            with httpx.Client(timeout=10) as desk, httpx.Client(timeout=10) as phone:
                for browser in (desk, phone):
                    address, _, cookie = known.start("/")
                    back = signed_in(browser, address, "ana")
                    sessions[browser], _ = known.finish(cookie, back["state"], back["code"], "")
                assert [lives(sessions[browser]) for browser in (desk, phone)] == [True, True]
                signed_out(desk, issuer)
                assert [lives(sessions[browser]) for browser in (desk, phone)] == [False, True]
                signed_out(phone, issuer)
                assert not lives(sessions[phone])


def test_a_person_signs_in_once_for_each_code(ledger: Ledger) -> None:
    with node_provider(CLIENT, SECRET, CALLBACK) as issuer:
        known = known_to(issuer, ledger)
        address, _, cookie = known.start("/")
        back = brought_back(address, "ana")
        session, _ = known.finish(cookie, back["state"], back["code"], "")
        found = known.sessions.caller(Credentials("10.0.0.1", {}, {COOKIE: session}))
        assert found is not None and found.tag == "user:ana"

        address, _, cookie = known.start("/")
        other, again = brought_back(address, "ben"), known.start("/").cookie
        with pytest.raises(Unidentified):                       # a state of another browser
            known.finish(again, other["state"], other["code"], "")
        with pytest.raises(Unidentified):                       # a code that was used
            known.finish(cookie, other["state"], back["code"], "")

        address, _, cookie = known.start("/")
        doubtful = brought_back(address, "unverified")
        with pytest.raises(Unidentified, match="does not name a person"):
            known.finish(cookie, doubtful["state"], doubtful["code"], "")

        address, _, cookie = known.start("/")
        back = brought_back(address, "ana")
        foreign = Provider(issuer, CLIENT, "another secret", CALLBACK)
        with pytest.raises(Unidentified):                       # the provider itself refuses these two
            foreign.redeem(back["code"], "a" * 43)
        with pytest.raises(Unidentified):
            known.provider.redeem(back["code"], "a" * 43)


def access_token(issuer: str, resource: str) -> str:
    """Of the program helpdesk, for this resource."""
    asked = {"grant_type": "client_credentials", "resource": resource}
    return str(httpx.post(f"{issuer}/token", data=asked, auth=("helpdesk", SECRET)).json()["access_token"])


def test_its_access_tokens_are_those_of_programs_and_its_id_tokens_are_not() -> None:
    with node_provider(CLIENT, SECRET, CALLBACK) as issuer:
        token = access_token(issuer, RESOURCE)

        def caller(sent: str, audience: str = RESOURCE) -> str | None:
            taken = BearerTokens(open_jwks(f"{issuer}/jwks"), Expected(issuer, audience, ("RS256",), "sub"))
            found = taken.caller(Credentials("10.0.0.1", {"authorization": f"Bearer {sent}"}, {}))
            return found and found.tag

        assert caller(token) == "user:helpdesk"
        head, body, signature = token.split(".")
        for forged in (f"{head}.{body[:-2]}AA.{signature}", f"{head}.{body}.", f"{head}.{body}.{signature[::-1]}"):
            with pytest.raises(Unidentified):
                caller(forged)
        with pytest.raises(Unidentified):
            caller(token, "another")

        provider = Provider(issuer, CLIENT, SECRET, CALLBACK)
        back = brought_back(provider.start("s" * 43, "n" * 43, "v" * 43), "ana")
        with pytest.raises(Unidentified, match="made to sign a person in"):
            caller(provider.redeem(back["code"], "v" * 43).id_token, CLIENT)


@pytest.mark.model
def test_in_and_out_of_the_service_as_people_start_it(tmp_path: Path) -> None:
    """Every step is a request to `vouch serve` or to the provider; all that both know of one another is in settings."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with node_provider(CLIENT, SECRET, f"{address}{urlsplit(CALLBACK).path}") as issuer:
        env = made_home(tmp_path) | {
            "VOUCH_HTTP__ADDRESS": address, "VOUCH_HTTP__OIDC_ISSUER": issuer, "VOUCH_HTTP__OIDC_CLIENT": CLIENT,
            "VOUCH_HTTP__OIDC_SECRET": SECRET, "VOUCH_HTTP__BEARER_JWKS": f"{issuer}/jwks",
            "VOUCH_HTTP__BEARER_ISSUER": issuer, "VOUCH_HTTP__BEARER_AUDIENCE": RESOURCE,
            "VOUCH_HTTP__BEARER_CLAIM": "sub",
        }  # fmt: skip
        with serving(env, port=str(port)), httpx.Client(base_url=address, timeout=30) as browser:
            assert "public documents only" in browser.get("/").text and browser.get(LEAVE).status_code == 403
            begun = browser.get("/sign-in")
            assert begun.status_code == 303 and begun.headers["location"].startswith(f"{issuer}/auth?")
            back = signed_in(browser, begun.headers["location"], "ana")
            entered = browser.get(urlsplit(CALLBACK).path, params=back)
            assert (entered.status_code, entered.headers["location"]) == (303, "/")
            page = browser.get("/")
            assert "as <bdi>user:ana</bdi>" in page.text and browser.get(LEAVE).status_code == 200
            assert browser.get("/v1/me").json() == {"reader": "user:ana", "way": "oidc"}

            program = {"Authorization": f"Bearer {access_token(issuer, RESOURCE)}"}
            assert httpx.get(f"{address}/v1/me", headers=program).json() == {"reader": "user:helpdesk", "way": "bearer"}
            foreign = {"Authorization": f"Bearer {access_token(issuer, 'https://another.test/')}"}
            assert httpx.get(f"{address}/v1/me", headers=foreign).status_code == 401

            kept, mark = browser.cookies[COOKIE], re.search(r'name="mark" value="([0-9a-f]{64})"', page.text)
            assert mark is not None
            left = browser.post("/leave", data={"mark": mark[1]}, headers={"Origin": address})
            assert left.status_code == 200 and COOKIE not in browser.cookies
            assert "public documents only" in browser.get("/").text and browser.get(LEAVE).status_code == 403
            assert httpx.get(f"{address}/v1/me", headers={"Cookie": f"{COOKIE}={kept}"}).status_code == 401
