"""What docs/identity.md exports is taken by the settings, and turns on the ways that it describes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from running.shell_blocks import blocks, exported

from bots.http.identity.bearer import BearerTokens
from bots.http.identity.oidc.sessions import SignedSessions
from bots.http.identity.proxy import TrustedProxy
from cli.wiring.http.identities import open_groups, open_identities, open_resource, open_sign_in
from vouch.settings import Settings
from vouch.settings.surfaces import HttpSettings

SECRET = "of sixteen signs or more"
PEOPLE, PROGRAMS, FOR_OTHERS, GROUPS, PROXY = (one for one in blocks("identity.md") if "export " in one)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def nobody_there(*_: object) -> bytes:
        raise ConnectionRefusedError

    monkeypatch.setattr("bots.http.identity.jwks.fetched", nobody_there)
    for name in ("client-secret", "proxy-secret"):
        (tmp_path / name).write_text(f"{SECRET}\n")
    return tmp_path


def settings(given: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> HttpSettings:
    """A name that is no setting is refused."""
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert set(given) <= {f"VOUCH_HTTP__{name.upper()}" for name in HttpSettings.model_fields}
    return Settings().http


def ways(http: HttpSettings) -> list[Any]:
    nobody: Any = None
    opened = open_identities(http, None, open_sign_in(http, b"key", nobody))
    return opened._ways


def test_people_sign_in_with_the_provider(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    http = settings(exported(PEOPLE, folder), monkeypatch)
    assert [type(one) for one in ways(http)] == [SignedSessions]
    assert http.oidc_secret.get_secret_value() == SECRET and http.oidc_claim == "email"
    assert http.hosts in http.address and http.address.startswith("https://")


def test_programs_prove_themselves_by_tokens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    http = settings(exported(PROGRAMS, folder), monkeypatch)
    assert [type(one) for one in ways(http)] == [BearerTokens]
    assert open_resource(http) is None and open_resource(http.model_copy(update={"address": "https://ask.acme.test"}))


def test_a_program_asks_for_those_whom_its_entry_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    http = settings(exported(PROGRAMS + FOR_OTHERS, folder), monkeypatch)
    assert http.bearer_claim == "sub" and http.bearer_asks_for == {"user:helpdesk": ("group:support", "user:ana")}
    assert [type(one) for one in ways(http)] == [BearerTokens]


def test_a_claim_of_tokens_names_groups_of_the_directory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    http = settings(exported(PROGRAMS + GROUPS, folder), monkeypatch)
    nothing: Any = None
    assert open_groups(http, nothing) is not None and http.group_hours == 8
    assert set(http.group_map.values()) == {"group:engineers", "group:people"}


def test_a_proxy_says_who_is_signed_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    http = settings(exported(PROXY, folder), monkeypatch)
    assert [type(one) for one in ways(http)] == [TrustedProxy]
    assert http.proxy_secret.get_secret_value() == SECRET and not http.anonymous


def test_a_misspelled_setting_would_be_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = exported(PROXY.replace("PROXY_PEERS", "PROXY_PIERS"), folder)
    with pytest.raises(AssertionError):
        settings(given, monkeypatch)
