"""Who asks is believed only with proof: every way to forge one is refused, each by a test with its name."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import http_place
from http_scene.key_confusion import SECRETS, confused, plant_confusion
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

from bots.http.identity import tokens
from bots.http.identity.bearer import BearerTokens
from bots.http.identity.caller import NOBODY_KNOWN, Caller, Credentials
from bots.http.identity.identities import Identities
from bots.http.identity.jwks import Jwks, open_jwks
from bots.http.identity.local import COOKIE, LIFE_S, LocalSessions
from bots.http.identity.proxy import TrustedProxy
from bots.http.identity.tokens import Expected
from vouch.errors import Unavailable, Unidentified, Usage

NOW = 1_800_000_000
ISSUER, AUDIENCE = "https://login.acme.test", "vouch"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
OTHER = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
EXPECTED = Expected(ISSUER, AUDIENCE, ("RS256",))
GOOD = {"iss": ISSUER, "aud": AUDIENCE, "iat": NOW - 10, "exp": NOW + 300, "sub": "1", "email": "Ana@acme.test",
        "email_verified": True}
SECRET = "a-secret-of-the-proxy"


def published(*keys: Any) -> bytes:
    return json.dumps(KeySet(list(keys)).as_dict(private=False)).encode()


def taken(expected: Expected = EXPECTED, jwks: bytes | None = None) -> BearerTokens:
    return BearerTokens(Jwks(lambda: published(KEY) if jwks is None else jwks), expected, lambda: NOW)


def signed(claims: Mapping[str, Any], key: Any = KEY, **header: Any) -> str:
    head = {"alg": "RS256", "kid": "one", **header}
    return jwt.encode(head, dict(claims), key, algorithms=[head["alg"]])


def with_token(token: str) -> Credentials:
    return Credentials("10.0.0.1", {"authorization": f"Bearer {token}"}, {})


def changed(**claims: Any) -> dict[str, Any]:
    return {name: value for name, value in {**GOOD, **claims}.items() if value is not None}


def part(value: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_a_good_token_names_its_person() -> None:
    assert taken().caller(with_token(signed(GOOD))) == Caller("user:ana@acme.test", "bearer")
    assert taken().caller(with_token(signed(changed(aud=["other", AUDIENCE])))) is not None
    assert taken().caller(with_token(signed(changed(exp=NOW - 20)))) is not None        # clocks differ a little
    assert taken().caller(Credentials("10.0.0.1", {}, {})) is None


def unsigned() -> str:
    return f"{part({'alg': 'none', 'kid': 'one'})}.{part(GOOD)}."


def tampered() -> str:
    head, _, signature = signed(GOOD).split(".")
    return f"{head}.{part(changed(email='ben@acme.test'))}.{signature}"


def with_own_key() -> str:
    """Brings the key along that it is signed with."""
    return signed(GOOD, OTHER, jwk=OTHER.as_dict(private=False))


FORGED: Mapping[str, Callable[[], str]] = {
    "forged, signed by another key": lambda: signed(GOOD, OTHER),
    "tampered": tampered,
    "expired": lambda: signed(changed(exp=NOW - 60)),
    "without an end": lambda: signed(changed(exp=None)),
    "without a beginning": lambda: signed(changed(iat=None)),
    "of tomorrow": lambda: signed(changed(nbf=NOW + 3600)),
    "wrong audience": lambda: signed(changed(aud="another")),
    "without an audience": lambda: signed(changed(aud=None)),
    "wrong issuer": lambda: signed(changed(iss="https://login.evil.test")),
    "without an issuer": lambda: signed(changed(iss=None)),
    "alg none": unsigned,
    **{f"key confusion by {one}": partial(confused, GOOD, KEY, one) for one in SECRETS},
    "another algorithm": lambda: signed(GOOD, KEY, alg="PS256"),
    "own key in the header": with_own_key,
    "an address that is not verified": lambda: signed(changed(email_verified=False)),
    "an address verified by a word": lambda: signed(changed(email_verified="true")),
    "without a person": lambda: signed(changed(email=None)),
    "a person that is a list": lambda: signed(changed(email=["ana@acme.test"])),
    "a group as a person": lambda: signed(changed(email="x group:people")),
    "nothing": lambda: "",
    "no token": lambda: "abc",
    "too long": lambda: "a" * 20_000,
    "encrypted": lambda: "a.b.c.d.e",
    "an end that is a word": lambda: signed(changed(exp="soon")),
    "an id token, by its nonce": lambda: signed(changed(nonce="n")),
    "an id token, by the hash of an access token": lambda: signed(changed(at_hash="h")),
    "an id token, by the hash of a code": lambda: signed(changed(c_hash="h")),
    "an id token, by the hash of a state": lambda: signed(changed(s_hash="")),
    "a logout token": lambda: signed(changed(events={"http://schemas.openid.net/event/backchannel-logout": {}})),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_token_is_refused_that_is(name: str) -> None:
    with pytest.raises(Unidentified):
        taken().caller(with_token(FORGED[name]()))


UNCHECKED = ("expired", "without an end", "without a beginning", "of tomorrow", "wrong audience",
             "without an audience", "wrong issuer", "without an issuer")


@pytest.mark.parametrize("name", UNCHECKED)
def test_one_that_believed_the_token_would_be_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check of claims these forgeries let somebody in: nothing else refuses them by chance."""
    monkeypatch.setattr(tokens, "_registry", lambda *given: SimpleNamespace(validate=lambda claims: None))
    assert taken().caller(with_token(FORGED[name]())) == Caller("user:ana@acme.test", "bearer")


@pytest.mark.parametrize("secret", SECRETS)
def test_one_that_confused_its_keys_would_be_seen(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_confusion(monkeypatch)
    assert taken().caller(with_token(confused(GOOD, KEY, secret))) == Caller("user:ana@acme.test", "bearer")
    with pytest.raises(Unidentified):
        taken().caller(with_token(confused(GOOD, OTHER, secret)))


@pytest.mark.parametrize(("name", "wider"), [
    ("another algorithm", replace(EXPECTED, algorithms=("RS256", "PS256"))),
    ("wrong audience", replace(EXPECTED, audience="another")),
    ("wrong issuer", replace(EXPECTED, issuer="https://login.evil.test")),
])
def test_other_settings_would_take_what_these_refuse(name: str, wider: Expected) -> None:
    assert taken(wider).caller(with_token(FORGED[name]())) == Caller("user:ana@acme.test", "bearer")


def test_only_a_bearer_token_counts_and_only_one() -> None:
    good = signed(GOOD)
    for header in (f"Basic {good}", good, f"Bearer{good}"):
        with pytest.raises(Unidentified):
            taken().caller(Credentials("10.0.0.1", {"authorization": header}, {}))
    twice = Credentials("10.0.0.1", {"authorization": f"Bearer {good}"}, {}, frozenset({"authorization"}))
    with pytest.raises(Unidentified):
        taken().caller(twice)


def test_a_shared_key_in_the_list_of_keys_signs_nothing() -> None:
    shared = OctKey.generate_key(256, {"kid": "one"})
    both = json.dumps({"keys": [shared.as_dict(), KEY.as_dict(private=False)]}).encode()
    token = jwt.encode({"alg": "HS256", "kid": "one"}, dict(GOOD), shared, algorithms=["HS256"])
    with pytest.raises(Unidentified):
        taken(jwks=both).caller(with_token(token))


@pytest.mark.parametrize("expected", [
    Expected(ISSUER, AUDIENCE, ("HS256",)), Expected(ISSUER, AUDIENCE, ("none",)), Expected(ISSUER, AUDIENCE, ()),
    Expected("", AUDIENCE, ("RS256",)), Expected(ISSUER, "", ("RS256",)),
])
def test_settings_that_would_believe_too_much_are_refused(expected: Expected) -> None:
    with pytest.raises(Usage):
        taken(expected)


def test_another_claim_and_another_curve() -> None:
    key = ECKey.generate_key("P-256", {"kid": "two"})
    token = jwt.encode({"alg": "ES256", "kid": "two"}, changed(email=None), key, algorithms=["ES256"])
    expected = Expected(ISSUER, AUDIENCE, ("ES256",), "sub")
    assert taken(expected, published(key)).caller(with_token(token)) == Caller("user:1", "bearer")


def test_a_new_key_is_fetched_once_and_an_outage_is_no_open_door() -> None:
    reads: list[bytes] = [published(RSAKey.generate_key(2048, {"kid": "old"}))]
    clock = [0.0]

    def read() -> bytes:
        if not reads:
            raise OSError("away")
        return reads.pop(0)

    jwks = Jwks(read, lambda: clock[0])
    bearer = BearerTokens(jwks, EXPECTED, lambda: NOW)
    with pytest.raises(Unidentified):
        bearer.caller(with_token(signed(GOOD)))
    clock[0], reads[:] = 20.0, [published(KEY)]
    assert bearer.caller(with_token(signed(GOOD))) is not None
    clock[0] = 400.0
    assert bearer.caller(with_token(signed(GOOD))) is not None         # the copy still serves
    clock[0] = 4000.0
    with pytest.raises(Unavailable):
        bearer.caller(with_token(signed(GOOD)))


@pytest.mark.parametrize("place", ["http://keys.acme.test/jwks", "ftp://a/b", "https://me:pw@acme.test/jwks", "https://["])
def test_keys_come_by_https_or_from_a_file(place: str) -> None:
    with pytest.raises(Usage):
        open_jwks(place)


def test_a_link_works_once_and_on_this_machine() -> None:
    sessions = LocalSessions("user:ana")
    token = sessions.token
    for wrong, peer in (("", "127.0.0.1"), (token[:-1], "127.0.0.1"), (token, "10.0.0.7"), (token, "")):
        with pytest.raises(Unidentified):
            sessions.enter(wrong, peer)
    session = sessions.enter(token, "127.0.0.1")
    with pytest.raises(Unidentified):               # replayed
        sessions.enter(token, "127.0.0.1")
    mine = Credentials("127.0.0.1", {}, {COOKIE: session})
    assert sessions.caller(mine) == Caller("user:ana", "local", session)
    sessions.leave(session)
    with pytest.raises(Unidentified):
        sessions.caller(mine)


def test_a_link_opened_twice_leads_the_browser_that_is_in_to_the_page() -> None:
    with folder_in_memory() as folder, http_place(folder, local=LocalSessions("user:ana"), works=False) as place:
        local = place.service.local
        assert local is not None
        link, browser = f"/enter?token={local.token}", place.visitor()
        for _ in range(2):
            reply = browser.get(link)
            assert (reply.status, reply.headers["location"]) == (303, "/")
        assert browser.get("/v1/me").json["reader"] == "user:ana"
        assert place.visitor().get(link).status == 401


def test_a_session_that_was_put_into_the_browser_before_is_not_taken_over() -> None:
    planted = "planted-by-somebody"
    with folder_in_memory() as folder, http_place(folder, local=LocalSessions("user:ana"), works=False) as place:
        assert place.service.local is not None
        browser, somebody = place.visitor(), place.visitor()
        browser.cookies[COOKIE] = somebody.cookies[COOKIE] = planted
        assert browser.get(f"/enter?token={place.service.local.token}").status == 303
        assert browser.cookies[COOKIE] != planted and browser.get("/v1/me").json["reader"] == "user:ana"
        assert somebody.get("/v1/me").status == 401


def test_a_session_ends_and_serves_no_other_machine() -> None:
    clock = [0.0]
    sessions = LocalSessions("user:ana", lambda: clock[0])
    session = sessions.enter(sessions.token, "::1")
    with pytest.raises(Unidentified):
        sessions.caller(Credentials("10.0.0.7", {}, {COOKIE: session}))
    clock[0] = LIFE_S
    with pytest.raises(Unidentified):
        sessions.caller(Credentials("127.0.0.1", {}, {COOKIE: session}))


def proxied(name: str | None = "ana", secret: str | None = SECRET, peer: str = "10.1.2.3", **more: Any) -> Credentials:
    headers = {"x-person": name, "x-vouch-proxy-secret": secret}
    return Credentials(peer, {key: value for key, value in headers.items() if value is not None}, {}, **more)


def test_a_proxy_says_who_asks() -> None:
    proxy = TrustedProxy("X-Person", ["10.1.0.0/16"], SECRET)
    assert proxy.caller(proxied()) == Caller("user:ana", "proxy")
    assert proxy.caller(proxied(peer="::ffff:10.1.2.3")) == Caller("user:ana", "proxy")
    assert proxy.caller(proxied(None)) is None              # nobody is signed in there
    assert proxy.caller(Credentials("10.1.2.3", {}, {})) is None
    for wrong in (proxied(peer="10.2.0.1"), proxied(secret=None), proxied(secret="a-secret-of-the-prox"),
                  proxied(peer="nonsense"), proxied("a b"), proxied("ana "), proxied("group:people x"),
                  proxied(repeated=frozenset({"x-person"}))):
        with pytest.raises(Unidentified):
            proxy.caller(wrong)


@pytest.mark.parametrize(("peers", "secret"), [([], SECRET), (["10.0.0.1"], "short"), (["everywhere"], SECRET)])
def test_a_proxy_is_believed_by_address_and_secret_only(peers: list[str], secret: str) -> None:
    with pytest.raises(Usage):
        TrustedProxy("X-Person", peers, secret)


def test_who_proves_nothing_is_the_public_or_nobody() -> None:
    nothing = Credentials("10.0.0.1", {}, {})
    assert Identities([], anonymous=True).caller(nothing) == replace(NOBODY_KNOWN, address="10.0.0.1")
    with pytest.raises(Unidentified):
        Identities([], anonymous=False).caller(nothing)
    with pytest.raises(Unidentified):               # a token that nobody checks is not passed over in silence
        Identities([], anonymous=True).caller(with_token("abc"))


def test_two_proofs_are_none() -> None:
    proxy = TrustedProxy("X-Person", ["10.1.0.0/16"], SECRET)
    both = Credentials("10.1.2.3", {**proxied().headers, "authorization": f"Bearer {signed(GOOD)}"}, {})
    with pytest.raises(Unidentified):
        Identities([taken(), proxy], anonymous=True).caller(both)


def test_who_asked_is_proven_anew_by_the_same_request_as_long_as_it_proves_them() -> None:
    proves: list[Caller | None] = [Caller("user:ana", "local")]
    way: Any = SimpleNamespace(caller=lambda credentials: proves[-1])
    known = Identities([way], anonymous=True, per_minute=1)
    request = Credentials("127.0.0.1", {}, {})
    for _ in range(5):
        known.prove(request, "user:ana")                # it counts for no pace
    for other in (Caller("user:ben", "local"), None):
        proves.append(other)
        with pytest.raises(Unidentified):
            known.prove(request, "user:ana")
    known.prove(request, "public")


def test_a_name_that_a_proxy_sends_in_other_letters_than_ascii_is_that_name() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        me = place.person("jürgen".encode().decode("latin-1")).get("/v1/me")
        assert me.json["reader"] == "user:jürgen"
