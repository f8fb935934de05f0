"""What the settings of the service turn on, and what they may not turn off in silence."""

import json
import logging
from pathlib import Path
from typing import Any, cast

import pytest
from joserfc.jwk import RSAKey

from cli.wiring.http.identities import open_identities, open_local, secure_cookies, warn_of_names
from vouch.access import Directory, Person
from vouch.errors import Usage
from vouch.settings.surfaces import HttpSettings


@pytest.mark.parametrize(("settings", "secure", "warned"), [
    ({}, False, False),
    ({"host": "localhost"}, False, False),
    ({"host": "::1", "address": "http://127.0.0.1:8080"}, False, False),
    ({"address": "https://ask.acme.test"}, True, False),
    ({"host": "0.0.0.0"}, True, False),
    ({"host": "10.1.2.3", "address": "http://ask.acme.test"}, True, False),
    ({"host": "ask.acme.test"}, True, False),
    ({"secure_cookies": True}, True, False),
    ({"secure_cookies": False}, False, False),
    ({"host": "0.0.0.0", "secure_cookies": False}, False, True),
    ({"address": "https://ask.acme.test", "secure_cookies": False}, False, True),
])
def test_cookies_travel_by_https_alone_wherever_others_could_listen(
    settings: dict[str, object], secure: bool, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert secure_cookies(HttpSettings.model_validate(settings)) is secure
    assert any("SECURE_COOKIES" in one for one in caplog.messages) is warned


def test_names_that_lead_nowhere_are_told_at_the_start(caplog: pytest.LogCaptureFixture) -> None:
    people = Directory({"ana": Person(("operators",))}, {"operators": ()})
    right = {"operators": "group:operators", "uploads": "docs", "announcers": "user:ana"}
    wrong = {"operators": "group:operatrs", "uploads": "doc", "announcers": "user:anna"}
    with caplog.at_level(logging.WARNING):
        for settings in (right, {}):
            warn_of_names(HttpSettings.model_validate(settings), people, {"docs"})
        assert not caplog.messages
        warn_of_names(HttpSettings.model_validate(wrong), people, {"docs"})
    assert [one.partition(":")[0].partition(",")[0] for one in caplog.messages] == [
        "VOUCH_HTTP__OPERATORS", "VOUCH_HTTP__ANNOUNCERS", "VOUCH_HTTP__UPLOADS"]
    assert "did you mean group:operators?" in caplog.messages[0]
    assert caplog.messages[0].endswith(", so nobody may open /operate")


def takes_tokens(jwks: str) -> None:
    """Raises what `vouch serve` raises at its start."""
    issued = {"bearer_issuer": "https://login.acme.test", "bearer_audience": "vouch"}
    open_identities(HttpSettings.model_validate({"bearer_jwks": jwks, **issued}), None, None)


@pytest.mark.parametrize(("words", "told"), [
    (None, "No such file"), ("[", "no set of public"), ("{}", "no set of public"), ('{"keys": []}', "no set of public"),
    ('{"keys": [{"kty": "oct", "k": "4-rpPckJc51GTsQYfQhHOTMmlqu1_MXMPj3h1jv275E"}]}', "no set of public"),
])
def test_a_file_without_keys_of_tokens_is_refused_at_the_start(tmp_path: Path, words: str | None, told: str) -> None:
    file = tmp_path / "jwks.json"
    if words is not None:
        file.write_text(words)
    with pytest.raises(Usage, match=told) as error:
        takes_tokens(str(file))
    assert str(file) in error.value.cause and "VOUCH_HTTP__BEARER_JWKS" in error.value.cure
    file.write_text(json.dumps({"keys": [RSAKey.generate_key(2048).as_dict(private=False)]}))
    takes_tokens(str(file))


def test_an_address_of_keys_that_is_down_is_told_and_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        takes_tokens("http://127.0.0.1:9/jwks.json")
    assert [one.partition(":")[0] for one in caplog.messages] == ["VOUCH_HTTP__BEARER_JWKS"]


def test_a_link_for_this_machine_alone_names_each_other_way_to_sign_in() -> None:
    http, nothing = HttpSettings.model_validate({"host": "0.0.0.0"}), cast(Any, None)
    with pytest.raises(Usage, match="for this machine alone") as refused:
        open_local(nothing, http, "user:ana")
    for setting in ("VOUCH_HTTP__HOST", "VOUCH_HTTP__OIDC_ISSUER", "VOUCH_HTTP__PROXY_PEERS"):
        assert setting in refused.value.cure
