"""Settings that turn a way on in part are refused at the start: else everybody would read as the public, in silence."""

from typing import Any

import pytest

from bots.http.identity.caller import Credentials
from cli.wiring.http.identities import open_identities, open_sign_in
from vouch.errors import Usage
from vouch.settings.surfaces import HttpSettings

OIDC = {"oidc_issuer": "https://login.acme.test", "oidc_client": "vouch", "oidc_secret": "the-secret-of-vouch"}
BEARER = {"bearer_jwks": "https://127.0.0.1:9/keys.json", "bearer_issuer": "https://login.acme.test",
          "bearer_audience": "vouch-api"}
PROXY = {"proxy_header": "X-Person", "proxy_peers": "10.1.0.5", "proxy_secret": "a-secret-of-the-proxy"}
ADDRESS = {"address": "https://ask.acme.test"}
HALVES = [
    pytest.param({name: way[name] for name in way if name in kept}, id=" ".join(kept))
    for way in (OIDC, BEARER, PROXY)
    for kept in ([name for number, name in enumerate(way) if chosen >> number & 1] for chosen in range(1, 7))
]


def opened(**given: Any) -> list[str]:
    http, nobody = HttpSettings.model_validate(given), {}
    known: Any = open_identities(http, None, open_sign_in(http, b"key", nobody))    # type: ignore[arg-type]
    return [type(one).__name__ for one in known._ways]


def setting(name: str) -> str:
    return f"VOUCH_HTTP__{name.upper()}"


@pytest.mark.parametrize("half", HALVES)
def test_a_way_that_is_set_in_part_is_refused(half: dict[str, str]) -> None:
    way = next(way for way in (OIDC, BEARER, PROXY) if half.keys() < way.keys())
    with pytest.raises(Usage) as refused:
        opened(**ADDRESS, **half)
    there, _, missing = refused.value.cause.partition(" without ")
    assert all(setting(name) in there and setting(name) not in missing for name in half)
    assert all(setting(name) in missing and setting(name) in refused.value.cure for name in way.keys() - half.keys())
    assert "the-secret" not in str(refused.value) and "a-secret" not in str(refused.value)


def test_whole_ways_are_on_and_no_settings_turn_none_on() -> None:
    assert opened(**ADDRESS) == []
    assert opened(**ADDRESS, **OIDC, **BEARER, **PROXY) == ["SignedSessions", "BearerTokens", "TrustedProxy"]


def test_who_may_ask_for_others_means_nothing_where_no_token_is_taken() -> None:
    with pytest.raises(Usage, match=r"BEARER_ASKS_FOR without VOUCH_HTTP__BEARER_JWKS"):
        opened(bearer_asks_for={"user:helpdesk": ["group:support"]})


def test_beside_another_way_a_proxy_may_say_no_more_than_where_requests_come_from() -> None:
    told = {name: PROXY[name] for name in ("proxy_peers", "proxy_secret")}
    assert opened(**ADDRESS, **OIDC, **told) == ["SignedSessions"]
    http = HttpSettings.model_validate({**ADDRESS, **OIDC, **told})
    forwarded = {"x-forwarded-for": "192.0.2.7", "x-vouch-proxy-secret": PROXY["proxy_secret"]}
    known = open_identities(http, None, open_sign_in(http, b"key", {}))             # type: ignore[arg-type]
    assert known.caller(Credentials("10.1.0.5", forwarded, {})).address == "192.0.2.7"
    for name in told:
        with pytest.raises(Usage, match="where requests come from is set in part"):
            opened(**ADDRESS, **OIDC, **{name: told[name]})


@pytest.mark.parametrize("issuer", ["https://login.acme.test", "https://login.acme.test/"])
def test_tokens_of_programs_have_an_audience_that_no_id_token_has(issuer: str) -> None:
    with pytest.raises(Usage, match="VOUCH_HTTP__BEARER_AUDIENCE is VOUCH_HTTP__OIDC_CLIENT"):
        opened(**ADDRESS, **OIDC, **{**BEARER, "bearer_issuer": issuer, "bearer_audience": "vouch"})
    another = {**BEARER, "bearer_issuer": "https://tokens.acme.test", "bearer_audience": "vouch"}
    assert opened(**ADDRESS, **OIDC, **another) == ["SignedSessions", "BearerTokens"]
