"""What the settings of the service turn on, and what they may not turn off in silence."""

import logging
from typing import Any, cast

import pytest

from cli.wiring.http.identities import open_local, secure_cookies, warn_of_names
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


def test_a_link_for_this_machine_alone_names_each_other_way_to_sign_in() -> None:
    http, nothing = HttpSettings.model_validate({"host": "0.0.0.0"}), cast(Any, None)
    with pytest.raises(Usage, match="for this machine alone") as refused:
        open_local(nothing, http, "user:ana")
    for setting in ("VOUCH_HTTP__HOST", "VOUCH_HTTP__OIDC_ISSUER", "VOUCH_HTTP__PROXY_PEERS"):
        assert setting in refused.value.cure
