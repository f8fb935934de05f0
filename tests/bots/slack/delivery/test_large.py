"""In a channel of thousands, in which Slack takes its time for each page of members, what people press is taken."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, Company, at, company

from bots.slack.answers.layout import NEED_HUMAN
from bots.slack.simulator import Channel, Message
from vouch.adapters.ledger import Ledger

pytestmark = pytest.mark.integration
MEMBERS, A_PAGE_S, IN_TIME_S = 4000, 0.2, 3.0


@pytest.fixture
def acme(ledger: Ledger, memory_folder: Path) -> Iterator[Company]:
    with company(ledger, memory_folder, "http", owners="user:boss@acme.test") as made:
        made.slack.deliveries.app.in_time = IN_TIME_S
        yield made


@pytest.fixture
def crowd(acme: Company) -> Channel:
    """Ben and the boss come last."""
    space = acme.slack.workspace
    many = [space.user(f"U1{n:04}", f"p{n}", f"p{n}@acme.test").id for n in range(MEMBERS)]
    return space.channel("C9", "crowd", [*many, acme.ben.id, acme.boss.id], "private")


def slow(acme: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    real = acme.slack.answer

    def answer(name: str, *given: Any, **more: Any) -> dict[str, Any]:
        if name == "conversations.members":
            time.sleep(A_PAGE_S)
        return real(name, *given, **more)

    monkeypatch.setattr(acme.slack, "answer", answer)


def press(acme: Company, message: Message, action: str) -> bool:
    held = next(one["value"] for block in message.blocks if block["type"] == "actions" for one in block["elements"]
                if one["action_id"] == action)
    return acme.slack.deliveries.press(acme.ben.id, message, {"type": "button", "action_id": action, "value": held})


def soon(acme: Company, words: str, channel: Channel) -> bool:
    end = time.monotonic() + 10
    while words not in acme.shown(acme.ben, channel) and time.monotonic() < end:
        time.sleep(0.02)
    return words in acme.shown(acme.ben, channel)


def test_the_window_of_its_settings_opens(acme: Company, crowd: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    crowd.creator = acme.ben.id
    slow(acme, monkeypatch)
    assert acme.slack.deliveries.command(acme.ben.id, crowd, "/vouch", "settings") == ""
    assert acme.slack.workspace.views[-1]["private_metadata"] == crowd.id


def test_an_answer_is_shared_with_it(acme: Company, crowd: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.ask(acme.ben, crowd, at(LEAVE))
    assert press(acme, acme.answers(acme.ben, crowd)[-1], "vouch_ask_privately")
    acme.answer_all()
    direct = acme.slack.workspace.direct(acme.ben.id)
    private = next(m for m in acme.answers(acme.ben, direct) if m.metadata)
    slow(acme, monkeypatch)
    assert press(acme, private, "vouch_share")
    assert soon(acme, "answering it anew", direct)


def test_a_human_is_asked_in_it(acme: Company, crowd: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.ledger.access.set_directory(acme.access.directory)
    acme.ask(acme.ben, crowd, at(LEAVE))
    answer = acme.answers(acme.ben, crowd)[-1]
    slow(acme, monkeypatch)
    assert press(acme, answer, NEED_HUMAN)
    assert soon(acme, f"<@{acme.boss.id}>", crowd)
