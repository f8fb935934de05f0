"""What is logged of requests: ids that lead from line to line, and no secret, question or name of a document."""

import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import SECRET, Place, http_place
from http_scene.oidc_provider import CLIENT, Claims, OidcProvider, signed
from http_scene.oidc_provider import SECRET as CLIENT_SECRET

from bots.http.app import Service
from bots.http.identity.identities import Identities
from bots.http.identity.local import LocalSessions
from bots.http.identity.oidc.logout import EVENT
from bots.http.identity.oidc.provider import Provider, ProviderKeys
from bots.http.identity.oidc.sessions import Seal, SignedSessions
from bots.http.identity.oidc.sign_in import SignIn
from bots.http.identity.tokens import Expected, SignedTokens
from bots.http.page.signing import CALLBACK, LOGOUT
from consumers.process import now
from services.answering.identity import EndedInLedger
from vouch.adapters.observability.log_lines import JsonLines
from vouch.trace import Span, trace_id

QUESTION = "How often are the vault tokens rotated?"


@pytest.fixture
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, local=LocalSessions("user:ana")) as made:
        yield made


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """As a collector gets them, down to level info."""
    found: list[dict[str, Any]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(json.loads(JsonLines(whole=False).format(record)))

    handler, root = Kept(), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield found
    root.removeHandler(handler)
    root.setLevel(before)


def test_a_request_leads_to_its_question_and_to_its_trace(place: Place, lines: list[dict[str, Any]]) -> None:
    spans: list[Span] = []
    object.__setattr__(place.service.questions, "record", spans.append)
    told = place.person("ana").post("/v1/ask", {"question": QUESTION})
    number, question = told.headers["x-request-id"], told.json["question_id"]
    other = place.visitor().get("/v1/me").headers["x-request-id"]
    until = time.monotonic() + 10
    while not any(other in one["message"] for one in lines) and time.monotonic() < until:
        time.sleep(0.01)                            # it is written once the response is out
    mine = [one for one in lines if one.get("request") == number]
    assert {one["trace"] for one in mine if question in one["message"]} == {trace_id(question)}
    assert any(f"request {number}: POST /v1/ask: 200 in" in one["message"] for one in mine)
    [asked] = [one for one in spans if one.name == "ask"]
    assert asked.notes["request"] == number and asked.trace == trace_id(question)
    assert not [one for one in mine if other in one["message"]]


def test_nothing_secret_and_no_word_of_questions_and_documents_is_logged(
    place: Place, lines: list[dict[str, Any]]
) -> None:
    local = place.service.local
    assert local is not None
    link, ana, browser = local.token, place.person("ana"), place.visitor()
    answer = ana.post("/v1/ask", {"question": QUESTION}, Idempotency_Key="key-of-ana").json
    ana.get("/v1/documents/docs/eng/tokens.md")
    ana.get("/v1/documents/docs/eng/tokens-none.md")
    ana.get("/tokens/rotated?vault=tokens")
    browser.get(f"/enter?token={link}")
    browser.get(f"/enter?token={link}")
    browser.get("/")
    place.visitor().get("/v1/me", Authorization="Bearer token-of-a-program")
    place.visitor().get("/v1/me", X_Person="ana", X_Vouch_Proxy_Secret="guessed-secret")
    browser.form("/ask", {"mark": "forged-mark", "question": QUESTION})
    ana.post("/v1/feedback", {"answer_id": answer["id"], "vote": "down", "reason": "tokens are vaults"})
    written = json.dumps(lines)
    assert len(lines) >= 10
    secrets = [link, SECRET, "key-of-ana", "token-of-a-program", "guessed-secret", "forged-mark",
               *browser.cookies.values()]
    assert not [one for one in [*secrets, "vault", "rotated", "tokens", "ninety"] if one in written]


@dataclass
class Overheard(OidcProvider):
    """Keeps every secret that passes between it and the service."""

    heard: list[str] = field(default_factory=list)

    def redeemed(self, form: Claims, authorization: str) -> Claims:
        self.heard += [form["code"], form["code_verifier"], authorization]
        given = super().redeemed(form, authorization)
        self.heard += [given["id_token"], given["access_token"]]
        return given


def signing_in(service: Service, provider: OidcProvider) -> Service:
    ledger: Any = service.questions
    known = Provider(provider.issuer, CLIENT, CLIENT_SECRET, "http://127.0.0.1:1/sign-in/callback")
    expected, seal = Expected(provider.issuer, CLIENT, ("RS256",)), Seal(b"k" * 32)
    tokens = SignedTokens(ProviderKeys(known), expected, "VOUCH_HTTP__OIDC")
    sessions = SignedSessions(seal, 8.0, EndedInLedger(ledger.ledger.ended, now))
    return replace(service, sign_in=SignIn(known, tokens, CLIENT, seal, sessions), local=None,
                   identities=Identities([sessions], anonymous=True))


@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG])
def test_no_secret_of_a_sign_in_is_logged_whether_it_holds_or_not(lines: list[dict[str, Any]], level: int) -> None:
    """The provider's address holds state and nonce, the way back the code and the state."""
    logging.getLogger().setLevel(level)
    with Overheard() as provider, folder_in_memory() as folder, http_place(
        folder, changed=lambda service: signing_in(service, provider), works=False
    ) as place:
        known, browser = place.service.sign_in, place.visitor()
        assert known is not None
        known.provider.callback = provider.callback = f"{place.address}{CALLBACK}"
        heard = provider.heard
        heard += [CLIENT_SECRET, "state-of-nobody", "code-of-nobody"]

        def begun() -> str:
            address = browser.get("/sign-in").headers["location"]
            asked = parse_qs(urlsplit(address).query)
            heard.extend([asked["state"][0], asked["nonce"][0], *browser.cookies.values()])
            back = urlsplit(provider.sign_in(address))
            return f"{back.path}?{back.query}"

        way = begun()
        assert browser.get(way).status == 303 and browser.get("/v1/me").json["reader"] == "user:ana"
        session = [*browser.cookies.values()]
        assert browser.get(way).status == 401                                       # it is used
        assert browser.get(f"{CALLBACK}?code=code-of-nobody&state=state-of-nobody").status == 401
        provider.lie = lambda claims: signed({**claims, "nonce": "another"})
        assert browser.get(begun()).status == 401
        provider.codes.clear()
        refused = begun()
        provider.codes.clear()
        assert browser.get(refused).status in (401, 503)                            # the provider takes no such code
        at = int(time.time())
        claims = {"iss": provider.issuer, "aud": CLIENT, "iat": at, "exp": at + 60, "jti": "j", "sub": "1",
                  "events": {EVENT: {}}}
        for token, status in ((signed(claims), 200), (signed({**claims, "aud": "another"}), 400), ("no-token", 400)):
            assert place.visitor().form(LOGOUT, {"logout_token": token}).status == status
            heard.append(token)
        secrets = [*heard, *session, *browser.cookies.values()]
    written = json.dumps(lines)
    assert len(lines) >= 8 and len(secrets) > 25 and "/sign-in" in written
    assert not [one for one in secrets if one and one in written]
