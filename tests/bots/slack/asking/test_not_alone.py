"""Whom Slack does not let vouch write to alone, such as people of another organisation, is told so."""

from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_slow import until

from bots.slack.answers.layout import PRIVATELY
from bots.slack.bot import SHORTCUT
from bots.slack.hearing.asking import NOT_ALONE
from bots.slack.simulator import Channel, Message, User
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration


def partner(acme: Company) -> tuple[User, Channel]:
    """Of another organisation, in a channel that both share, whom Slack does not let apps write to."""
    other = acme.slack.workspace.user("U0PARTNER", "partner", "p@partner.test", team="T0OTHER")
    return other, acme.slack.workspace.channel("C1", "both", [acme.ana.id, other.id], "private", shared=True)


def refuse(acme: Company, times: int = 1) -> None:
    for _ in range(times):
        acme.slack.fault("conversations.open", "user_not_visible")


def told(acme: Company, person: User, channel: Channel) -> list[Message]:
    until(lambda: bool(acme.answers(person, channel)))
    return [m for m in acme.answers(person, channel) if m.text == NOT_ALONE and m.only_for == person.id]


@pytest.mark.parametrize("code", ["user_not_visible", "cannot_dm_bot", "user_not_found"])
def test_a_question_in_an_ephemeral_channel_ends_in_a_word_to_its_asker_and_not_in_silence(
    acme: Company, code: str
) -> None:
    other, channel = partner(acme)
    acme.ledger.slack_channels.set(channel.id, ChannelSettings(ephemeral=True), "test")
    for _ in range(2):                  # the mention is told as two events
        acme.slack.fault("conversations.open", code)
    acme.ask(other, channel, at(LEAVE))
    assert all(one.acked for one in acme.slack.deliveries.log) and len(told(acme, other, channel)) == 1
    assert acme.answers(acme.ana, channel) == [] and not acme.ledger.outbox.counts()


def test_the_command_says_so(acme: Company) -> None:
    other, channel = partner(acme)
    refuse(acme)
    assert acme.slack.deliveries.command(other.id, channel, "/vouch", LEAVE) == NOT_ALONE


def test_the_menu_of_a_message_says_so(acme: Company) -> None:
    other, channel = partner(acme)
    said = acme.slack.deliveries.say(acme.ana.id, channel, LEAVE)
    refuse(acme)
    assert acme.slack.deliveries.shortcut(other.id, said, SHORTCUT)
    assert len(told(acme, other, channel)) == 1 and acme.answers(acme.ana, channel) == []


def test_a_button_says_so(acme: Company) -> None:
    other, channel = partner(acme)
    acme.ask(acme.ana, channel, at(LEAVE))
    [answer] = acme.answers(acme.ana, channel)
    [button] = [one for block in answer.blocks if block["type"] == "actions" for one in block["elements"]
                if one["action_id"] == PRIVATELY]
    refuse(acme)
    action: dict[str, Any] = {"type": "button", "action_id": PRIVATELY, "value": button["value"]}
    assert acme.slack.deliveries.press(other.id, answer, action)
    until(lambda: len(acme.answers(other, channel)) > 1)
    assert len(told(acme, other, channel)) == 1 and acme.answers(acme.ana, channel) == [answer]
