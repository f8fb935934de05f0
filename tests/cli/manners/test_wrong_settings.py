"""A setting that is wrong is named as people write it, once, before anything is opened."""

import json
from pathlib import Path
from typing import Any

import pytest

from vouch.settings import reading


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"VOUCH_LOG__KIND": "kafka", "VOUCH_LOG__TOPIC_PREFIX": "a b"},
         "VOUCH_LOG__TOPIC_PREFIX: does not have the required form"),
        ({"VOUCH_LEXICAL__URL": "http://127.0.0.1:9200"}, "VOUCH_LEXICAL__KIND: not set, and other settings"),
        ({"VOUCH_LEXICAL__KIND": "embedded", "VOUCH_LEXICAL__URL": "http://127.0.0.1:9200"},
         "VOUCH_LEXICAL__URL: no such setting where VOUCH_LEXICAL__KIND is embedded"),
        ({"VOUCH_LEXICAL__KIND": "elastic"}, "VOUCH_LEXICAL__KIND: must be 'embedded' or 'elasticsearch'"),
        ({"VOUCH_WORKER__HOLDS": "3"}, "VOUCH_WORKER__HOLDS: no such setting"),
        ({"VOUCH_LEGDER__URL": "postgresql+psycopg://ana:secret@db/vouch"}, "VOUCH_LEGDER__URL: no such setting"),
        ({"VOUCH_LEDGER__URL": "127.0.0.1:5432/vouch"}, "VOUCH_LEDGER__URL: does not have the required form"),
        ({"VOUCH_HTTP__SECRET": "hush"}, "VOUCH_HTTP__SECRET: needs at least 16"),
        ({"VOUCH_HTTP__BEARER_ASKS_FOR": "{user:hush: x}"}, "VOUCH_HTTP__BEARER_ASKS_FOR: must be JSON"),
        ({"VOUCH_HTTP__OPERATORS": "operators"},
         "VOUCH_HTTP__OPERATORS: must be one group, written as group:operators"),
        ({"VOUCH_HTTP__ANNOUNCERS": "user:ana, ci"},
         "VOUCH_HTTP__ANNOUNCERS: 'ci' is not an access tag; write public, user:NAME or group:NAME"),
        ({"VOUCH_HTTP__ADDRESS": "ask.acme.test"},
         "VOUCH_HTTP__ADDRESS: must be an address such as https://ask.acme.test"),
        ({"VOUCH_LOG_LEVEL": "loud"}, "VOUCH_LOG_LEVEL: must be 'debug', 'info'"),
    ],
)  # fmt: skip
def test_it_is_named_as_in_the_environment(vouch: Any, home: Path, settings: dict[str, str], said: str) -> None:
    code, out, err = vouch("search", "travel", **settings)
    assert (code, out) == (2, "")
    assert said in err and "docs/settings.md" in err and "secret" not in err and "hush" not in err
    assert not home.exists()


def test_the_doctor_says_it_once(vouch: Any) -> None:
    code, out, _ = vouch("doctor", "--json", VOUCH_WORKER__HOLD="0")
    [check] = map(json.loads, out.splitlines())
    assert code == 8
    assert check["check"] == "settings" and "VOUCH_WORKER__HOLD: must be 1 or more" in check["found"]


def test_the_doctor_reads_the_recipe(vouch: Any, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('about = "x"\n[facts]\nsteps = [{ step = "retreive" }]\n')
    checks = {check["check"]: check for check in map(json.loads, vouch("doctor", "--json")[1].splitlines())}
    assert checks["recipe"]["sound"] and checks["recipe"]["found"] == "default"
    code, out, _ = vouch("doctor", "--json", VOUCH_RECIPE=str(own))
    check = next(check for check in map(json.loads, out.splitlines()) if check["check"] == "recipe")
    assert code == 8 and not check["sound"] and "'retreive'" in check["found"] and check["cure"]


def test_a_home_of_somebody_else_is_told_with_what_helps(vouch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", "/home/ben/vouch.toml")

    monkeypatch.setattr(reading, "TomlConfigSettingsSource", refused)
    code, _, err = vouch("search", "travel")
    assert code == 2 and "cannot be read: Permission denied" in err and "Errno" not in err
    assert "let this account read it, or name another home with VOUCH_HOME" in err and "remove" not in err


def test_names_of_other_things_are_left_alone(vouch: Any) -> None:
    assert vouch("source", "list", VOUCH_DATA="/nowhere", VOUCH_REQUIRE_SERVICES="1")[0] == 0


@pytest.mark.parametrize("address", ["http://svc:hush@host/v1", "http://hush@host/v1", "https://host/v1?key=hush",
                                     "host"])
@pytest.mark.parametrize(("name", "kind"), [
    ("VOUCH_WRITER__BASE_URL", {"VOUCH_WRITER__KIND": "openai"}), ("VOUCH_TRACING__ENDPOINT", {}),
    ("VOUCH_LEXICAL__URL", {"VOUCH_LEXICAL__KIND": "elasticsearch"}),
])
def test_an_address_with_a_secret_in_it_is_refused_and_not_repeated(
    vouch: Any, name: str, kind: dict[str, str], address: str
) -> None:
    code, out, err = vouch("source", "list", **kind, **{name: address})
    assert (code, out) == (2, "") and name in err and "hush" not in err


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_home_is_no_home_named(vouch, tmp_path, monkeypatch, empty):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    assert vouch("source", "list", VOUCH_HOME=empty, VOUCH_CONFIG="")[0] == 0
    assert list((tmp_path / "here").iterdir()) == []
    assert (tmp_path / "person" / ".vouch" / "ledger.sqlite").is_file()


def test_a_relative_home_that_is_made_now_is_named_in_full_and_later_not(vouch, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    assert vouch("source", "list", VOUCH_HOME=".demo")[0] == 0 and str(tmp_path / ".demo") in caplog.text
    caplog.clear()
    assert vouch("source", "list", VOUCH_HOME=".demo")[0] == 0 and not caplog.text
