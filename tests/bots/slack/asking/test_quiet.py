"""A question that nobody addressed to vouch, and that it cannot answer, disturbs nobody but whoever said it."""

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_places import EVERYWHERE
from slack_scene.slack_slow import until

from bots.slack.answers.layout import NEED_HUMAN
from bots.slack.simulator import Channel, Message
from vouch.adapters.ledger import OutboxRow
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
UNKNOWN = "How do employees claim expenses for hotels, trains, visas, and taxis abroad?"


def both(acme: Company, answers: str = "mentions") -> Channel:
    chosen = ChannelSettings.model_validate({"answers": answers, "owners": ["user:ben@acme.test"]})
    acme.ledger.slack_channels.set("C1", chosen, "terminal")
    return acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")


def the_decline(acme: Company, channel: Channel, asked: Message) -> Message:
    """Which its asker alone sees, with the id that `/vouch why` takes."""
    decline = acme.answers(acme.ana, channel)[-1]
    assert "not answered" in decline.shown() and " id " in decline.shown()
    assert (decline.only_for, decline.thread_ts) == (acme.ana.id, asked.thread_ts)      # Slack hides it in a new thread
    return decline


@EVERYWHERE
def test_an_untagged_reply_that_has_no_answer_is_declined_to_its_asker_alone(acme: Company) -> None:
    channel = both(acme)
    first = acme.ask(acme.ana, channel, at(LEAVE))
    reply = acme.ask(acme.ana, channel, UNKNOWN, first.ts)
    the_decline(acme, channel, reply)
    assert len(acme.answers(acme.ben, channel)) == 1
    acme.ask(acme.ana, channel, at(UNKNOWN), first.ts)      # whoever names vouch is told no aloud
    assert ["not answered" in m.shown() for m in acme.answers(acme.ben, channel)] == [False, True]
    acme.ask(acme.ana, channel, LEAVE, first.ts)
    assert "12 weeks" in acme.answers(acme.ben, channel)[-1].shown()


def test_so_is_a_question_that_a_channel_lets_vouch_answer_unasked(acme: Company) -> None:
    channel = both(acme, answers="questions")
    asked = acme.ask(acme.ana, channel, UNKNOWN)
    the_decline(acme, channel, asked)
    acme.ask(acme.ben, channel, LEAVE, asked.ts)            # in a thread in which nobody there sees it
    assert acme.answers(acme.ben, channel) == []
    assert acme.slack.workspace.statuses[-1] == ("C1", asked.ts, "")


def test_whoever_sends_the_decline_takes_the_status_away_where_the_bot_does_not(acme: Company) -> None:
    channel = both(acme, answers="questions")
    acme.bot.progress.close()  # type: ignore[union-attr]
    asked = acme.slack.deliveries.say(acme.ana.id, channel, UNKNOWN)
    until(lambda: ("C1", asked.ts) in acme.slack.workspace.status)
    acme.answer_all()
    the_decline(acme, channel, asked)
    assert acme.slack.workspace.status == {}


def test_its_asker_may_call_a_human_from_there(acme: Company) -> None:
    channel = both(acme, answers="questions")
    acme.ledger.access.set_directory(acme.access.directory)
    asked = acme.ask(acme.ana, channel, UNKNOWN)
    decline = the_decline(acme, channel, asked)
    buttons = next(one["elements"] for one in decline.blocks if one["type"] == "actions")
    button = next(one for one in buttons if one["action_id"] == NEED_HUMAN)
    for _ in range(2):
        assert acme.slack.deliveries.press(acme.ana.id, decline, {
            "type": "button", "action_id": button["action_id"], "value": button["value"]})
    acme.bot.rest()  # type: ignore[union-attr]
    until(lambda: not acme.ledger.notices.waiting())
    [called] = acme.answers(acme.ben, channel)
    assert called.thread_ts == asked.ts and acme.ben.id in str(called.blocks)
    told = next(m for m in acme.answers(acme.ana, channel) if "already" in m.shown())
    assert told.thread_ts is None


def test_nobody_is_told_about_a_question_that_was_deleted_meanwhile(acme: Company) -> None:
    channel = both(acme, answers="questions")
    real = acme.sender._ledger.outbox.claim

    def deleted(*given: object, **more: object) -> list[OutboxRow]:
        with acme.slack.workspace.lock:
            acme.slack.workspace.messages[:] = [m for m in acme.slack.workspace.messages if m.text != UNKNOWN]
        return real(*given, **more)  # type: ignore[arg-type]

    acme.sender._ledger.outbox.claim = deleted  # type: ignore[method-assign,assignment]
    acme.ask(acme.ana, channel, UNKNOWN)
    assert acme.answers(acme.ana, channel) == [] and acme.ledger.outbox.counts() == {"sent": 1}
