"""Signing in with a provider: who comes back with a proof that is ours, once, is signed in, and nobody else."""

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from http_scene.http_client import Client
from http_scene.http_place import Place
from http_scene.key_confusion import SECRETS, confused, plant_confusion
from http_scene.oidc_place import SEAL, oidc_place, sign_in_with
from http_scene.oidc_provider import CLIENT, KEY, SECRET, Claims, OidcProvider, signed
from joserfc import jwt
from joserfc.jwk import RSAKey
from machines.ledger_place import LedgerPlace

from bots.http.identity.caller import Credentials
from bots.http.identity.oidc.provider import Provider
from bots.http.identity.oidc.sessions import COOKIE, Seal, SignedSessions
from bots.http.identity.oidc.sign_in import COOKIE as BEGUN
from bots.http.identity.oidc.sign_in import SignIn
from consumers.process import now
from services.answering.identity import EndedInLedger
from vouch.adapters.ledger import Ledger
from vouch.errors import LedgerDown, Unavailable, Unidentified, Usage

NOW = [1_800_000_000.0]
ENDED: list[EndedInLedger] = []
TOKENS = "How often are the vault tokens rotated?"


def sign_in(provider: OidcProvider, callback: str, seal: Seal = SEAL) -> SignIn:
    return sign_in_with(provider, callback, ENDED[-1], seal)


@pytest.fixture(autouse=True)
def ended(ledger: Ledger) -> EndedInLedger:
    """What every process of the service knows to be over."""
    ENDED[:] = [EndedInLedger(ledger.ended, now)]
    return ENDED[0]


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    with OidcProvider(callback="http://127.0.0.1:1/sign-in/callback") as made:
        yield made


def came_back(provider: OidcProvider, known: SignIn) -> tuple[str, dict[str, str]]:
    """The cookie that was set, and what the browser brings."""
    address, _, cookie = known.start("/")
    back = urlsplit(provider.sign_in(address)).query
    return cookie, dict(pair.split("=", 1) for pair in back.split("&"))


def person_of(known: SignIn, session: str) -> str:
    found = known.sessions.caller(Credentials("10.0.0.1", {}, {COOKIE: session}))
    assert found is not None and found.way == "oidc"
    return found.tag


def test_who_signs_in_is_the_person_of_the_verified_address(provider: OidcProvider) -> None:
    known = sign_in(provider, provider.callback)
    cookie, brought = came_back(provider, known)
    assert person_of(known, known.finish(cookie, brought["state"], brought["code"], "")[0]) == "user:ana"
    assert provider.refused == []


def test_an_address_that_only_userinfo_tells_counts_for_the_same_person_alone(provider: OidcProvider) -> None:
    provider.apart, known = True, sign_in(provider, provider.callback)
    cookie, brought = came_back(provider, known)
    assert person_of(known, known.finish(cookie, brought["state"], brought["code"], "")[0]) == "user:ana"
    provider.userinfo = {"sub": "2", "email": "ben", "email_verified": True}
    cookie, brought = came_back(provider, known)
    with pytest.raises(Unidentified, match="two people"):
        known.finish(cookie, brought["state"], brought["code"], "")


def part(value: Claims) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


LIES = {
    "unsigned": lambda claims: f"{part({'alg': 'none'})}.{part(claims)}.",
    **{f"key confusion by {one}": partial(confused, key=KEY, secret=one) for one in SECRETS},
    "forged": lambda claims: jwt.encode({"alg": "RS256", "kid": "one"}, claims, RSAKey.generate_key(2048)),
    "expired": lambda claims: signed({**claims, "exp": claims["iat"] - 60}),
    "wrong audience": lambda claims: signed({**claims, "aud": "another"}),
    "wrong issuer": lambda claims: signed({**claims, "iss": "https://evil.example"}),
    "for another client": lambda claims: signed({**claims, "aud": [CLIENT, "another"], "azp": "another"}),
    "another sign-in's nonce": lambda claims: signed({**claims, "nonce": "x"}),
    "no nonce": lambda claims: signed({name: value for name, value in claims.items() if name != "nonce"}),
    "an address that is not verified": lambda claims: signed({**claims, "email_verified": False}),
    "an address verified in words": lambda claims: signed({**claims, "email_verified": "true"}),
    "no token": lambda claims: "",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_lies_signs_nobody_in(provider: OidcProvider, lie: str) -> None:
    provider.lie, known = LIES[lie], sign_in(provider, provider.callback)      # type: ignore[assignment]
    cookie, brought = came_back(provider, known)
    with pytest.raises(Unidentified):
        known.finish(cookie, brought["state"], brought["code"], "")


@pytest.mark.parametrize("secret", SECRETS)
def test_a_sign_in_that_confused_its_keys_would_be_seen(
    provider: OidcProvider, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant_confusion(monkeypatch)
    provider.lie, known = partial(confused, key=KEY, secret=secret), sign_in(provider, provider.callback)
    cookie, brought = came_back(provider, known)
    assert person_of(known, known.finish(cookie, brought["state"], brought["code"], "")[0]) == "user:ana"


def test_a_sign_in_counts_once_and_in_the_browser_that_began_it(provider: OidcProvider) -> None:
    known = sign_in(provider, provider.callback)
    cookie, brought = came_back(provider, known)
    other, _ = came_back(provider, known)
    for wrong in ("", other, cookie[:-3] + "abc", Seal(b"x" * 32).put("sign-in", 60, {"state": brought["state"]}),
                  SEAL.put("session", 60, {"state": brought["state"]})):
        with pytest.raises(Unidentified, match="not begun in this browser"):
            known.finish(wrong, brought["state"], brought["code"], "")
    with pytest.raises(Unidentified, match="not begun in this browser"):
        known.finish(cookie, "", brought["code"], "")
    assert known.finish(cookie, brought["state"], brought["code"], "")
    with pytest.raises(Unidentified, match="is over"):                          # replayed
        known.finish(cookie, brought["state"], brought["code"], "")


def test_a_code_of_somebody_else_is_refused_by_its_verifier(provider: OidcProvider) -> None:
    known = sign_in(provider, provider.callback)
    _, stolen = came_back(provider, known)
    cookie, brought = came_back(provider, known)
    with pytest.raises(Unidentified):
        known.finish(cookie, brought["state"], stolen["code"], "")
    assert provider.refused == ["invalid_grant"]


def test_who_reads_the_cookie_of_a_sign_in_learns_no_verifier(provider: OidcProvider) -> None:
    known = sign_in(provider, provider.callback)
    cookie, brought = came_back(provider, known)
    told = json.loads(base64.urlsafe_b64decode(cookie.split(".")[1] + "=="))
    assert set(told) == {"kind", "iat", "exp", "state", "nonce", "wanted"}
    challenge = provider.codes[brought["code"]]["code_challenge"]
    digests = [hashlib.sha256(str(value).encode()).digest() for value in told.values()]
    assert challenge not in [base64.urlsafe_b64encode(one).rstrip(b"=").decode() for one in digests]
    for another in (brought["state"][:-1], "x"):
        assert SEAL.derived("verifier", another) != SEAL.derived("verifier", brought["state"])
    assert Seal(b"x" * 32).derived("verifier", brought["state"]) != SEAL.derived("verifier", brought["state"])
    assert known.finish(cookie, brought["state"], brought["code"], "")          # which takes the right one


def test_a_sign_in_that_took_too_long_or_was_refused_is_over(provider: OidcProvider) -> None:
    known = sign_in(provider, provider.callback)
    cookie, brought = came_back(provider, known)
    with pytest.raises(Unidentified, match="did not let you in"):
        known.finish(cookie, brought["state"], "", "access_denied")
    late = replace(known, seal=Seal(b"k" * 32, lambda: 4_000_000_000.0))
    with pytest.raises(Unidentified, match="took too long"):
        late.finish(cookie, brought["state"], brought["code"], "")


def test_sessions_end_and_cannot_be_made_by_others(ended: EndedInLedger) -> None:
    clock = [NOW[0]]
    seal = Seal(b"k" * 32, lambda: clock[0])
    sessions = SignedSessions(seal, 8.0, ended)
    session = sessions.begin("user:ana")
    browser = Credentials("10.0.0.1", {}, {COOKIE: session})
    found = sessions.caller(browser)
    assert found is not None and found.tag == "user:ana"
    head, body, signature = session.split(".")
    for forged in (f"{head}.{part({'tag': 'user:ben'})}.{signature}", f"{part({'alg': 'none'})}.{body}.", "x", "",
                   Seal(b"x" * 32, lambda: clock[0]).put("session", 60, {"tag": "user:ana", "sid": "1"}),
                   seal.put("sign-in", 60, {"tag": "user:ana", "sid": "1"})):
        with pytest.raises(Unidentified):
            sessions.caller(Credentials("10.0.0.1", {}, {COOKIE: forged}))
    clock[0] += 8 * 3600 + 1
    with pytest.raises(Unidentified):
        sessions.caller(browser)
    clock[0] = NOW[0]
    sessions.end(found.session)
    with pytest.raises(Unidentified):
        sessions.caller(browser)


def test_a_session_counts_no_longer_than_the_hours_of_now(ledger: Ledger) -> None:
    clock = [NOW[0]]
    seal = Seal(b"k" * 32, lambda: clock[0])
    long, short = (SignedSessions(seal, hours, EndedInLedger(ledger.ended, now)) for hours in (8.0, 1.0))
    browser = Credentials("10.0.0.1", {}, {COOKIE: long.begin("user:ana")})
    assert short.caller(browser) is not None
    clock[0] += 3601                    # that it was ended under `short` is forgotten by now
    assert long.caller(browser) is not None
    with pytest.raises(Unidentified, match="has ended"):
        short.caller(browser)


def test_a_session_that_was_ended_is_over_in_every_process_and_after_a_restart(
    provider: OidcProvider, ledger_place: LedgerPlace
) -> None:
    here, there, later = (
        SignedSessions(SEAL, 8.0, EndedInLedger(ledger_place.open().ended, now)) for _ in range(3))
    session, other = here.begin("user:ana"), here.begin("user:ana")
    found = here.caller(Credentials("10.0.0.1", {}, {COOKIE: session}))
    assert found is not None
    here.end(found.session)
    here.end(found.session)                                                     # twice does no harm
    for process in (here, there, later):
        with pytest.raises(Unidentified):
            process.caller(Credentials("10.0.0.1", {}, {COOKIE: session}))
        assert process.caller(Credentials("10.0.0.1", {}, {COOKIE: other})) is not None


def test_a_sign_in_that_was_used_in_another_process_is_over(provider: OidcProvider, ledger: Ledger) -> None:
    known = sign_in(provider, provider.callback)
    cookie, brought = came_back(provider, known)
    assert known.finish(cookie, brought["state"], brought["code"], "")
    ENDED.append(EndedInLedger(ledger.ended, now))
    with pytest.raises(Unidentified, match="is over"):
        sign_in(provider, provider.callback).finish(cookie, brought["state"], brought["code"], "")


class Away:
    """A ledger that cannot be asked."""

    def end(self, mark: str, until: datetime) -> bool:
        raise LedgerDown("the ledger is away")

    def is_ended(self, mark: str) -> bool:
        raise LedgerDown("the ledger is away")

    def untils(self, marks: list[str]) -> dict[str, datetime]:
        raise LedgerDown("the ledger is away")


def test_where_nobody_can_tell_whether_a_session_was_ended_it_does_not_count(provider: OidcProvider) -> None:
    away: Any = Away()
    sessions = SignedSessions(SEAL, 8.0, EndedInLedger(away, now))
    with pytest.raises(LedgerDown):
        sessions.caller(Credentials("10.0.0.1", {}, {COOKIE: sessions.begin("user:ana")}))
    with pytest.raises(LedgerDown):
        sessions.end("x")


def test_tidying_forgets_what_would_be_over_by_itself_and_no_session_is_kept(ledger: Ledger) -> None:
    early, late = (EndedInLedger(ledger.ended, lambda at=at: at) for at in (now() - timedelta(hours=9), now()))
    for marks, name in ((early, "early"), (late, "late")):
        assert marks.end(name, 8 * 3600) and not marks.end(name, 8 * 3600)
    assert not any(name in value for name in (b"early", b"late") for value in ledger.erasure.values())
    ledger.expiry.expire(now() - timedelta(days=90), now() - timedelta(days=365))
    assert (late.is_ended("early"), late.is_ended("late")) == (False, True)


def test_a_provider_that_is_another_one_or_not_there_is_told(provider: OidcProvider) -> None:
    provider.metadata = {"issuer": "https://evil.example"}
    with pytest.raises(Unavailable, match="another one"):
        sign_in(provider, provider.callback).start("/")
    provider.metadata = {"token_endpoint": "http://evil.example/token"}
    known = sign_in(provider, provider.callback)
    cookie, brought = came_back(provider, known)
    with pytest.raises(Unavailable, match="no safe token_endpoint"):
        known.finish(cookie, brought["state"], brought["code"], "")
    with pytest.raises(Unavailable, match="cannot be reached"):
        Provider("http://127.0.0.1:9", CLIENT, SECRET, provider.callback).metadata()


@pytest.mark.parametrize(("issuer", "client", "secret", "callback"), [
    ("http://login.acme.test", "c", "s", "https://ask.acme.test/x"), ("https://login.acme.test", "", "s", "https://a/x"),
    ("https://login.acme.test", "c", "", "https://a/x"), ("https://login.acme.test", "c", "s", "/sign-in/callback"),
    ("https://user:p@login.acme.test", "c", "s", "https://a/x"), ("https://[", "c", "s", "https://a/x"),
])
def test_settings_that_nobody_could_sign_in_with_are_refused(
    issuer: str, client: str, secret: str, callback: str
) -> None:
    with pytest.raises(Usage):
        Provider(issuer, client, secret, callback)


def signing_place(provider: OidcProvider, *, secure: bool = False) -> AbstractContextManager[Place]:
    return oidc_place(provider, ENDED[-1], secure=secure)


def begun_by(client: Client) -> list[str]:
    return [name for name, value in client.cookies.items() if name.removeprefix("__Host-").startswith(BEGUN) and value]


def signed_in(provider: OidcProvider, client: Client) -> Any:
    begun = client.get("/sign-in")
    assert begun.status == 303
    back = urlsplit(provider.sign_in(begun.headers["location"]))
    return client.get(f"{back.path}?{back.query}")


@pytest.mark.slow
def test_planted_cookies_of_sign_ins_keep_nobody_out(provider: OidcProvider) -> None:
    with signing_place(provider) as place:
        planted = "; ".join(f"{BEGUN}_{name}=x" for name in ("a", "b", "c", "d", "a[b]", "a b", "\u00fc"))
        assert place.visitor().send("GET", "/sign-in", Cookie=planted).status == 303


@pytest.mark.slow
def test_no_other_host_can_plant_a_sign_in_that_it_began(provider: OidcProvider) -> None:
    with signing_place(provider, secure=True) as place:
        client = place.visitor()
        begun = client.get("/sign-in")
        [name] = client.cookies
        assert name.startswith(f"__Host-{BEGUN}_") and "Path=/;" in f"{client.set_cookies[-1]};"
        client.cookies[name.removeprefix("__Host-")] = client.cookies.pop(name)     # the name that can be planted
        back = urlsplit(provider.sign_in(begun.headers["location"]))
        assert client.get(f"{back.path}?{back.query}").status == 401
        assert signed_in(provider, client).status == 303 and begun_by(client) == [name.removeprefix("__Host-")]


@pytest.mark.slow
def test_the_whole_way_in_and_out_of_a_browser(provider: OidcProvider) -> None:
    with signing_place(provider) as place:
        client = place.visitor()
        assert 'href="/sign-in"' in client.get("/").text
        client.cookies[COOKIE] = "planted"                                      # fixation
        entered = signed_in(provider, client)
        assert entered.status == 303 and entered.headers["location"] == "/" and client.cookies[COOKIE] != "planted"
        cookie = next(one for one in client.set_cookies if one.startswith(f"{COOKIE}="))
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie and not begun_by(client)
        assert client.get("/v1/me").json == {"reader": "user:ana", "way": "oidc"}
        page = client.ask_on_page(TOKENS)
        assert "ninety days" in page.text and "user:ana" in page.text
        kept = dict(client.cookies)
        assert client.form("/leave", {"mark": client.get("/").mark}).status == 200
        assert not client.cookies.get(COOKIE)
        client.cookies = kept                                                   # a copy of the cookie
        ended = client.get("/")
        assert ended.status == 401 and 'href="/sign-in"' in ended.text


@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, True])
def test_signing_out_ends_a_sign_in_that_was_begun_beside_it(provider: OidcProvider, secure: bool) -> None:
    with signing_place(provider, secure=secure) as place:
        client = place.visitor()
        begun, other = (client.get("/sign-in").headers["location"] for _ in range(2))
        back, later = (urlsplit(provider.sign_in(one)) for one in (begun, other))
        assert client.get(f"{back.path}?{back.query}").status == 303 and len(begun_by(client)) == 1
        assert client.form("/leave", {"mark": client.get("/").mark}).status == 200
        assert client.cookies == {}
        assert client.get(f"{later.path}?{later.query}").status == 401
        assert client.get("/v1/me").json["reader"] == "public"


@pytest.mark.slow
def test_a_page_of_somebody_else_cannot_sign_a_browser_in(provider: OidcProvider) -> None:
    with signing_place(provider) as place:
        attacker, victim = place.visitor(), place.visitor()
        begun = attacker.get("/sign-in")
        back = urlsplit(provider.sign_in(begun.headers["location"]))
        assert victim.get(f"{back.path}?{back.query}").status == 401 and COOKIE not in victim.cookies
        assert victim.get("/sign-in/callback?state=a&code=b&error=%3Cscript%3E").text.count("<script>") == 0
