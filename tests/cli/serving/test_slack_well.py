"""What `vouch slack doctor` says where Slack lets the bot work, and it would not work all the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from slack_scene.doctor import Vouch, allow, checked, wrong

from bots.slack.simulator import SlackServer, web_api
from composition.log import open_log
from vouch.adapters.observability.processes import ProcessEntry
from vouch.settings import Settings


@pytest.fixture(autouse=True)
def ana(slack: SlackServer, filled: None) -> None:
    slack.workspace.user("U0ANA", "Ana", "ana@acme.test")


def test_a_setting_with_one_underscore_is_named(vouch: Vouch, slack: SlackServer) -> None:
    _, rows, _ = checked(vouch, slack, VOUCH_SLACK_MODE="http")
    assert "VOUCH_SLACK_MODE is no setting" in rows["settings"]["found"] and rows["settings"]["sound"]
    assert "did you mean VOUCH_SLACK__MODE?" in rows["settings"]["found"] and rows["settings"]["cure"]
    assert "VOUCH_SLACK_MODE" in vouch("doctor", VOUCH_SLACK_MODE="http")[1]
    assert "no setting" not in checked(vouch, slack, VOUCH_CONFIG="none.toml")[1]["settings"]["found"]


@pytest.mark.parametrize("owners", ["user:ana@acme.test; group:support", "public"])
def test_owners_that_the_bot_would_refuse_are_refused(vouch: Vouch, slack: SlackServer, owners: str) -> None:
    _, rows, _ = checked(vouch, slack, VOUCH_SLACK__OWNERS=owners)
    assert wrong(rows) == ["settings"] and "VOUCH_SLACK__OWNERS" in rows["settings"]["found"]
    assert rows["tags"]["sound"] is None


def test_whom_the_directory_does_not_have_is_named(vouch: Vouch, slack: SlackServer) -> None:
    _, rows, _ = checked(vouch, slack, VOUCH_SLACK__OWNERS="user:ama@acme.test,user:ana@acme.test",
                         VOUCH_SLACK__PEOPLE='{"U9": "group:nope"}')
    assert rows["tags"]["sound"] and rows["tags"]["cure"] and rows["tags"]["found"] == (
        "VOUCH_SLACK__OWNERS: user:ama@acme.test is not in the directory; did you mean user:ana@acme.test?; "
        "VOUCH_SLACK__PEOPLE: group:nope is not in the directory")
    assert checked(vouch, slack, VOUCH_SLACK__OWNERS="user:Ana@acme.test")[1]["tags"]["cure"] == ""


def test_documents_that_nobody_may_read_are_none_to_answer_from(
    vouch: Vouch, slack: SlackServer, tmp_path: Path
) -> None:
    (tmp_path / "handbook" / "access.yaml").unlink()
    _, rows, _ = checked(vouch, slack)
    assert wrong(rows) == ["documents"] and "1 document in the index, and nobody" in rows["documents"]["found"]
    assert "vouch source access handbook FILE" in rows["documents"]["cure"]
    allow(tmp_path / "handbook", "group:nobody")
    _, rows, _ = checked(vouch, slack)
    assert wrong(rows) == ["documents"] and "vouch access check" in rows["documents"]["cure"]
    allow(tmp_path / "handbook", "user:ana@acme.test")
    _, rows, _ = checked(vouch, slack)
    assert wrong(rows) == ["documents"] and "vouch ingest" in rows["documents"]["cure"]


def test_that_nobody_looks_after_vouch_is_told(vouch: Vouch, slack: SlackServer) -> None:
    rows = checked(vouch, slack)[1]
    assert rows["tags"]["sound"] and "I need a human" in rows["tags"]["found"]
    assert "VOUCH_SLACK__OWNERS" in rows["tags"]["cure"]


def test_an_app_in_no_channel_is_told_how_it_gets_into_one(vouch: Vouch, slack: SlackServer) -> None:
    assert "/invite @vouch" in checked(vouch, slack)[1]["channels"]["cure"]
    slack.workspace.channel("C1", "lobby", [])
    assert checked(vouch, slack)[1]["channels"]["cure"] == ""


def test_the_token_of_a_person_is_none_of_an_app(
    vouch: Vouch, slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = web_api._method(lambda api, given: {**web_api._me(api, given), "user": "ben", "bot_id": None})
    monkeypatch.setitem(web_api.METHODS, "auth.test", person)
    _, rows, _ = checked(vouch, slack)
    assert wrong(rows) == ["token"] and "token of a person, ben" in rows["token"]["found"]


@contextmanager
def worker(home: Path) -> Iterator[None]:
    entry = ProcessEntry(home, "worker", lambda: {"since": 0.0, "does": ["questions"], "waiting": [], "stuck": []})
    entry.begin()
    try:
        yield
    finally:
        entry.end()


def test_that_no_worker_runs_is_told_and_fails_once_questions_wait(
    vouch: Vouch, slack: SlackServer, home: Path
) -> None:
    _, rows, _ = checked(vouch, slack)
    assert rows["worker"]["sound"] and rows["worker"]["cure"] == "start it: vouch worker"
    assert "questions wait" not in vouch("status")[1]
    producer = open_log(Settings(home=home), home).producer()
    producer.send("questions", b"k", b"{}")
    producer.close()
    _, rows, _ = checked(vouch, slack)
    assert wrong(rows) == ["worker"] and "1 question on it" in rows["worker"]["found"]
    assert "questions wait, and no process of this home takes them off: vouch worker" in vouch("status")[1]
    with worker(home):
        _, rows, _ = checked(vouch, slack)
        assert wrong(rows) == [] and rows["worker"]["cure"] == ""
        assert "questions wait" not in vouch("status")[1]
