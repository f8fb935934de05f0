"""The provider ends sessions (OpenID Connect Back-Channel Logout): its own word counts, once, and nobody else's."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import http_place
from http_scene.key_confusion import SECRETS, confused, plant_confusion
from http_scene.oidc_provider import CLIENT, KEY, SECRET, Claims, OidcProvider, signed
from joserfc import jwt
from joserfc.jwk import RSAKey
from machines.ledger_place import LedgerPlace

from bots.http.app import Service
from bots.http.identity.caller import Credentials
from bots.http.identity.identities import Identities
from bots.http.identity.oidc.logout import EVENT, Logouts
from bots.http.identity.oidc.provider import Provider, ProviderKeys
from bots.http.identity.oidc.sessions import COOKIE, Seal, SignedSessions
from bots.http.identity.oidc.sign_in import SignIn
from bots.http.identity.tokens import Expected, SignedTokens
from bots.http.page.signing import LOGOUT
from consumers.process import now
from services.answering.identity import EndedInLedger
from vouch.adapters.ledger import Ledger
from vouch.errors import LedgerDown, Unidentified, Usage

ANA = {"sub": "1", "email": "ana", "email_verified": True}
BEN = {"sub": "2", "email": "ben", "email_verified": True}


@dataclass
class Scene:
    """People who sign in with a provider, which may say that they have signed out."""

    provider: OidcProvider
    clock: list[float]
    known: SignIn

    def session(self, person: Claims, **more: str) -> str:
        """The cookie of somebody who signs in now."""
        self.provider.person = {**person, **more}
        address, _, cookie = self.known.start("/")
        back = parse_qs(urlsplit(self.provider.sign_in(address)).query)
        return self.known.finish(cookie, back["state"][0], back["code"][0], "")[0]

    def lives(self, *sessions: str) -> list[bool]:
        found = []
        for one in sessions:
            try:
                found.append(self.known.sessions.caller(Credentials("10.0.0.1", {}, {COOKIE: one})) is not None)
            except Unidentified:
                found.append(False)
        return found

    def claims(self, **changed: Any) -> Claims:
        at = int(self.clock[0])
        known = {"iss": self.provider.issuer, "aud": CLIENT, "iat": at, "exp": at + 120, "jti": "j1", "sub": "1",
                 "events": {EVENT: {}}}
        return {name: value for name, value in {**known, **changed}.items() if value is not None}

    def told(self, token: str) -> None:
        Logouts(self.known, lambda: self.clock[0]).take(token)


def known_to(provider: OidcProvider, ended: Any, clock: Callable[[], float] = time.time) -> SignIn:
    place, seal = Provider(provider.issuer, CLIENT, SECRET, provider.callback), Seal(b"k" * 32, clock)
    tokens = SignedTokens(ProviderKeys(place), Expected(provider.issuer, CLIENT, ("RS256",)), "VOUCH_HTTP__OIDC", clock)
    return SignIn(place, tokens, CLIENT, seal, SignedSessions(seal, 8.0, ended))


@pytest.fixture
def scene(ledger: Ledger) -> Iterator[Scene]:
    clock = [time.time()]
    with OidcProvider(callback="http://127.0.0.1:1/sign-in/callback") as provider:
        yield Scene(provider, clock, known_to(provider, EndedInLedger(ledger.ended, now), lambda: clock[0]))


def test_all_sessions_of_a_person_end_and_nobody_elses(scene: Scene) -> None:
    sessions = [scene.session(ANA), scene.session(ANA, sid="s1"), scene.session(BEN)]
    assert scene.lives(*sessions) == [True] * 3
    scene.clock[0] += 5
    scene.told(signed(scene.claims()))
    assert scene.lives(*sessions) == [False, False, True]
    scene.clock[0] += 5
    assert scene.lives(scene.session(ANA), sessions[0]) == [True, False]        # who signs in again is in again


def test_one_session_of_a_person_ends_where_the_provider_names_it(scene: Scene) -> None:
    desk, phone, nameless, ben = (scene.session(ANA, sid="desk"), scene.session(ANA, sid="phone"), scene.session(ANA),
                                  scene.session(BEN, sid="ben"))
    scene.told(signed(scene.claims(sub=None, sid="desk")))
    assert scene.lives(desk, phone, nameless, ben) == [False, True, True, True]
    scene.told(signed(scene.claims(sid="phone", jti="j2")))
    assert scene.lives(desk, phone, nameless, ben) == [False, False, False, True]


def test_it_counts_in_every_process_and_after_a_restart(ledger_place: LedgerPlace) -> None:
    with OidcProvider(callback="http://127.0.0.1:1/sign-in/callback") as provider:
        here, there = (known_to(provider, EndedInLedger(ledger_place.open().ended, now)) for _ in range(2))
        one, other = Scene(provider, [time.time()], here), Scene(provider, [time.time()], there)
        session = one.session(ANA)
        assert other.lives(session) == [True]
        one.told(signed(one.claims()))
        later = known_to(provider, EndedInLedger(ledger_place.open().ended, now))
        assert other.lives(session) == Scene(provider, [time.time()], later).lives(session) == [False]


def test_a_token_that_comes_again_ends_nothing_more(scene: Scene) -> None:
    first, token = scene.session(ANA), signed(scene.claims())
    scene.told(token)
    scene.clock[0] += 5
    again = scene.session(ANA)
    scene.clock[0] += 5
    scene.told(token)
    assert scene.lives(first, again) == [False, True]


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def changed(**claims: Any) -> Callable[[Claims], str]:
    return lambda known: signed({name: value for name, value in {**known, **claims}.items() if value is not None})


REFUSED: dict[str, Callable[[Claims], str]] = {
    "nothing": lambda claims: "",
    "forged": lambda claims: jwt.encode({"alg": "RS256", "kid": "one"}, claims, RSAKey.generate_key(2048)),
    "unsigned (alg: none)": lambda claims: f"{part({'alg': 'none'})}.{part(claims)}.",
    **{f"key confusion by {one}": partial(confused, key=KEY, secret=one) for one in SECRETS},
    "tampered with": lambda claims: ".".join(
        [*signed(claims).split(".")[:1], part({**claims, "sub": "2"}), signed(claims).split(".")[2]]),
    "expired": lambda claims: signed({**claims, "exp": claims["iat"] - 60}),
    "without an end": changed(exp=None),
    "without a beginning": changed(iat=None),
    "of the future": lambda claims: signed({**claims, "iat": claims["iat"] + 600, "exp": claims["exp"] + 600}),
    "from long ago, good for years": lambda claims: signed({
        **claims, "iat": claims["iat"] - 4000, "exp": claims["iat"] + 10**8}),
    "for another audience": changed(aud="another"),
    "of another issuer": changed(iss="https://evil.example"),
    "with a nonce": changed(nonce="n"),
    "with an empty nonce": changed(nonce=""),
    "without events": changed(events=None),
    "with another event": changed(events={"http://schemas.openid.net/event/other": {}}),
    "with events in a list": changed(events=[EVENT]),
    "with an event that is no object": changed(events={EVENT: "yes"}),
    "an id token": changed(events=None, jti=None, nonce="n", **ANA),
    "without a number": changed(jti=None),
    "with an empty number": changed(jti=""),
    "that names nobody": changed(sub=None),
    "whose person is a number": changed(sub=1),
    "whose session is a list": changed(sid=["s1"]),
}


@pytest.mark.parametrize("lie", REFUSED)
def test_a_token_that_does_not_count_ends_nothing(scene: Scene, lie: str) -> None:
    session = scene.session(ANA)
    with pytest.raises(Usage, match="the logout token does not count"):
        scene.told(REFUSED[lie](scene.claims()))
    assert scene.lives(session) == [True]
    scene.told(signed(scene.claims()))                                          # and uses up no number
    assert scene.lives(session) == [False]


@pytest.mark.parametrize("secret", SECRETS)
def test_one_that_confused_its_keys_would_be_seen_to_end_sessions(
    scene: Scene, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = scene.session(ANA)
    plant_confusion(monkeypatch)
    scene.told(confused(scene.claims(), KEY, secret))
    assert scene.lives(session) == [False]


class Failing(EndedInLedger):
    """The ledger goes away once, with the sessions of a person in hand."""

    failed = False

    def end_until(self, name: str, until: float) -> None:
        if not Failing.failed:
            Failing.failed = True
            raise LedgerDown("the ledger is away")
        super().end_until(name, until)


def test_what_could_not_be_noted_counts_when_it_comes_again(scene: Scene, ledger: Ledger) -> None:
    session, token = scene.session(ANA), signed(scene.claims())
    scene.known.sessions.ended = Failing(ledger.ended, now)
    with pytest.raises(LedgerDown):
        scene.told(token)
    scene.told(token)
    assert scene.lives(session) == [False]


def test_a_session_of_a_former_vouch_which_no_provider_could_end_is_over(scene: Scene) -> None:
    former = scene.known.seal.put("session", 60, {"tag": "user:ana", "sid": "1"})
    assert scene.lives(former, scene.known.sessions.begin("user:ana")) == [False, True]


def test_a_later_end_counts_and_an_earlier_one_takes_nothing_back(ledger: Ledger) -> None:
    early, late = (datetime(2100, 1, day, tzinfo=UTC) for day in (1, 2))
    for until, kept in ((early, early), (late, late), (early, late)):
        ledger.ended.end_until("a" * 64, until)
        assert ledger.ended.untils(["a" * 64, "b" * 64]) == {"a" * 64: kept}
    ledger.expiry.expire(now() - timedelta(days=90), now() - timedelta(days=365))
    assert ledger.ended.is_ended("a" * 64)


@pytest.mark.slow
def test_over_http_the_provider_is_told_whether_it_counted(ledger: Ledger) -> None:
    with OidcProvider(callback="http://127.0.0.1:1/x") as provider, folder_in_memory() as folder:
        made: list[SignIn] = []

        def planted(service: Service) -> Service:
            made.append(known_to(provider, EndedInLedger(ledger.ended, now)))
            return replace(service, sign_in=made[0], identities=Identities([made[0].sessions], anonymous=True))

        with http_place(folder, works=False, changed=planted) as place:
            made[0].provider.callback = provider.callback = f"{place.address}/sign-in/callback"
            client, caller = place.visitor(), place.visitor()
            back = urlsplit(provider.sign_in(client.get("/sign-in").headers["location"]))
            assert client.get(f"{back.path}?{back.query}").status == 303
            token = signed(Scene(provider, [time.time()], made[0]).claims())
            form = {"Content_Type": "application/x-www-form-urlencoded"}
            for body in (b"", b"logout_token=abc", f"logout_token={token}&logout_token={token}".encode(), b"\xff"):
                told = caller.send("POST", LOGOUT, body, **form)
                assert told.status == 400 and told.headers["content-type"] == "application/problem+json"
                assert told.headers["cache-control"] == "no-store"
            assert caller.get(f"{LOGOUT}?logout_token={token}").status == 405
            assert caller.send("POST", f"{LOGOUT}?logout_token={token}", b"", **form).status == 400
            whole = f"logout_token={token}".encode()
            assert caller.send("POST", LOGOUT, whole, Sec_Fetch_Site="cross-site", **form).status == 403
            assert client.get("/v1/me").json["reader"] == "user:ana"
            for _ in range(2):
                told = caller.send("POST", LOGOUT, whole, **form)
                assert (told.status, told.body, told.headers["cache-control"]) == (200, b"", "no-store")
            assert client.get("/v1/me").status == 401
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        assert place.visitor().send("POST", LOGOUT, whole, **form).status == 404
