"""What waits to be posted is posted, whatever else waits and whatever Slack replies in between."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from slack_scene.slack_company import Company, company

from bots.slack.api import SlackApi
from bots.slack.notices.posting import NoticePoster
from vouch.adapters.ledger import Ledger
from vouch.errors import Damaged, SurfaceDown

pytestmark = pytest.mark.integration
BOSS = "user:boss@acme.test"


@pytest.fixture
def quiet(ledger: Ledger, memory_folder: Path) -> Iterator[Company]:
    """Nothing is posted but what a test posts."""
    with company(ledger, memory_folder, "http") as made:
        assert made.bot is not None
        made.bot.upkeep.end()
        yield made


def add(acme: Company, name: str, kind: str = "rollback", **body: Any) -> None:
    told = {"owner": BOSS, "text": f"{name} was replaced"} if kind == "rollback" else body
    acme.ledger.notices.add(name, kind, told, datetime.now(UTC))


def told(acme: Company, seconds: float = 8.0) -> str:
    """What the boss reads, once there is something."""
    direct, end = acme.slack.workspace.direct(acme.boss.id), time.monotonic() + seconds
    while not acme.answers(acme.boss, direct) and time.monotonic() < end:
        time.sleep(0.02)
    return acme.shown(acme.boss, direct)


def poster(acme: Company) -> NoticePoster:
    assert acme.bot is not None
    made: NoticePoster = acme.bot.upkeep.post_one.__self__  # type: ignore[attr-defined]
    return made


def odd_once(acme: Company, monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any]) -> None:
    """Something between the bot and Slack answers once."""
    real, replies = acme.slack.answer, [reply]

    def answer(name: str, *given: Any, **more: Any) -> dict[str, Any]:
        return replies.pop() if name == "conversations.open" and replies else real(name, *given, **more)

    monkeypatch.setattr(acme.slack, "answer", answer)


def test_a_row_that_cannot_be_read_keeps_no_other_from_being_posted(over_http: Company) -> None:
    add(over_http, "1", "more_alone")
    time.sleep(1.5)
    add(over_http, "2")
    assert "2 was replaced" in told(over_http)


@pytest.mark.parametrize("reply", [{"ok": True}, {"ok": True, "channel": {}}, {"ok": True, "channel": "D1"}], ids=str)
def test_an_odd_reply_keeps_no_message_from_being_posted(
    over_http: Company, monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any]
) -> None:
    odd_once(over_http, monkeypatch, reply)
    add(over_http, "1")
    add(over_http, "2")
    assert "2 was replaced" in told(over_http)


@pytest.mark.parametrize("error", [Damaged("no such index"), KeyError("answer_id"), SurfaceDown("Slack")], ids=repr)
def test_what_fails_every_time_is_given_up_after_many_tries(
    quiet: Company, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(*_: object) -> bool:
        raise error

    monkeypatch.setitem(poster(quiet).kinds, "rollback", failing)  # type: ignore[arg-type]
    monkeypatch.setattr("bots.slack.notices.posting._MOST_TRIES", 3)
    add(quiet, "1")
    for tries in range(6):
        now = datetime.now(UTC) + timedelta(days=tries)
        assert later(quiet, now).step() is (tries < 4)
    assert quiet.ledger.notices.waiting() == []


@pytest.mark.parametrize("method", ["conversations.open", "chat.postMessage", "users.info"])
def test_an_account_that_slack_refuses_is_given_up_after_some_hours_and_named_in_the_log(
    quiet: Company, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    real = quiet.slack.api.call
    monkeypatch.setattr(quiet.slack.api, "call", lambda name, given, **more: {"ok": False, "error": "something_new"}
                        if name == method else real(name, given, **more))
    add(quiet, "1")
    begun = datetime.now(UTC)
    hours = [hour for hour in range(48) if later(quiet, begun + timedelta(hours=hour)).step()]
    assert 6 < len(hours) < 24 and quiet.ledger.notices.waiting() == []
    given_up = [one.getMessage() for one in caplog.records if "given up: 1: Slack: " in one.getMessage()]
    assert len(given_up) == 1 and "account U0BOSS is" in caplog.text


def test_slack_is_left_alone_as_long_as_it_asks_for(quiet: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(*_: object) -> bool:
        raise SurfaceDown("Slack", retry_after_s=900.0)

    monkeypatch.setitem(poster(quiet).kinds, "rollback", limited)  # type: ignore[arg-type]
    add(quiet, "1")
    begun = datetime.now(UTC)
    assert later(quiet, begun).step()
    assert not later(quiet, begun + timedelta(seconds=899)).step()
    assert later(quiet, begun + timedelta(seconds=901)).step()


def later(acme: Company, now: datetime) -> NoticePoster:
    return replace(poster(acme), clock=lambda: now)


def test_a_reply_without_what_it_must_have_is_slack_being_down(
    quiet: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    api: SlackApi = quiet.parts.api
    odd_once(quiet, monkeypatch, {"ok": True})
    with pytest.raises(SurfaceDown, match="channel"):
        api.call("conversations.open", users=quiet.ana.id)["channel"]
