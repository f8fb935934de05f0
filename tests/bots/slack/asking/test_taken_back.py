"""Words of a message that was deleted or edited after it was answered are used for nothing any more."""

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_places import EVERYWHERE

from bots.slack.answers.layout import PRIVATELY
from bots.slack.simulator.workspace import Channel, Message, User
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
ZOE = "How long does a performance improvement plan last for Zoe Quinn?"
THEN = "And how often does the manager meet them?"


def thread(acme: Company) -> tuple[Channel, Message]:
    channel = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    return channel, acme.slack.deliveries.say(acme.ana.id, channel, "Morning all")


def privately(acme: Company, person: User, message: Message) -> str:
    [button] = [one for block in message.blocks if block["type"] == "actions" for one in block["elements"]
                if one["action_id"] == PRIVATELY]
    assert acme.bot is not None
    acme.slack.deliveries.press(person.id, message, {
        "type": "button", "action_id": PRIVATELY, "value": button["value"]})
    acme.bot.rest()
    acme.answer_all()
    return acme.shown(person, acme.slack.workspace.direct(person.id))


def understood(acme: Company, person: str) -> str:
    [asked] = acme.ledger.asked_by.recent(f"user:{person}@acme.test", "slack", acme.now().replace(year=2020), 1)
    return str(asked.body["understood_as"])


@pytest.mark.parametrize("change", ["delete", "edit"])
@EVERYWHERE
def test_whoever_joins_later_asks_on_without_words_that_are_gone(acme: Company, change: str) -> None:
    channel, root = thread(acme)
    asked = acme.ask(acme.ben, channel, at(ZOE), root.ts)
    if change == "edit":
        acme.slack.deliveries.edit(asked, at("How long does a performance improvement plan last?"))
    else:
        acme.slack.deliveries.delete(asked)
    acme.slack.deliveries.join(acme.boss.id, channel)
    acme.ask(acme.boss, channel, at(THEN), root.ts)
    assert understood(acme, "boss") == ""
    told = privately(acme, acme.boss, acme.answers(acme.boss, channel)[-1])
    assert THEN in told and "Zoe" not in told


def test_so_it_is_where_such_a_message_would_be_no_question_any_more(acme: Company) -> None:
    channel, _ = thread(acme)
    acme.ledger.slack_channels.set("C1", ChannelSettings(answers="questions"), "test")
    asked = acme.ask(acme.ben, channel, LEAVE)
    assert acme.ledger.answers.answered(f"slack:T0ACME:C1:{asked.ts}")
    acme.ledger.slack_channels.unset("C1")
    acme.slack.deliveries.delete(asked)
    acme.ask(acme.ana, channel, at(THEN), asked.ts)
    assert understood(acme, "ana") == ""


def test_an_answer_that_went_on_from_them_before_is_asked_again_without_them(acme: Company) -> None:
    channel, root = thread(acme)
    asked = acme.ask(acme.ben, channel, at(ZOE), root.ts)
    acme.ask(acme.ana, channel, at(THEN), root.ts)
    assert understood(acme, "ana") == f"{ZOE} {THEN}"
    acme.slack.deliveries.delete(asked)
    acme.slack.deliveries.join(acme.boss.id, channel)
    told = privately(acme, acme.boss, acme.answers(acme.boss, channel)[-1])
    assert THEN in told and "Zoe" not in told


def test_an_edit_that_leaves_the_words_as_they_are_leaves_them_to_be_used(acme: Company) -> None:
    channel, root = thread(acme)
    asked = acme.ask(acme.ben, channel, at(ZOE), root.ts)
    acme.slack.deliveries.edit(asked, at(f"{ZOE} :wave:"))
    acme.ask(acme.ana, channel, at(THEN), root.ts)
    assert understood(acme, "ana") == f"{ZOE} {THEN}"
