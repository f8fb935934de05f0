"""Where the answer comes under no message that all see, its asker is told at once that somebody looks, and when it
takes too long."""

from collections.abc import Callable

import pytest
from slack_scene.slack_company import PLAN, Company, at
from slack_scene.slack_slow import held, settled, streamed, until

from bots.slack.bot import SHORTCUT
from bots.slack.hearing.asking import ANSWERED, LOOKING
from bots.slack.progress.showing import TOLD
from bots.slack.simulator.workspace import Channel, Message
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
LATE, SAYS = "takes longer", "60 days"


def in_an_ephemeral_channel(acme: Company, both: Channel) -> Channel:
    acme.ledger.slack_channels.set(both.id, ChannelSettings(ephemeral=True), "test")
    acme.slack.deliveries.say(acme.ben.id, both, at(PLAN))
    return both


def by_the_command(acme: Company, both: Channel) -> Channel:
    acme.slack.deliveries.command(acme.ben.id, both, "/vouch", PLAN)
    return acme.slack.workspace.direct(acme.ben.id)


def by_the_shortcut(acme: Company, both: Channel) -> Channel:
    assert acme.slack.deliveries.shortcut(acme.ben.id, about(acme, both), SHORTCUT)
    return acme.slack.workspace.direct(acme.ben.id)


def in_private(acme: Company, both: Channel) -> Channel:
    assert acme.bot is not None
    patience, acme.bot.progress._patience = acme.bot.progress._patience, 600.0      # this one may take its time
    acme.ask(acme.ana, both, at(PLAN))
    acme.bot.progress._patience = patience
    [answer] = acme.answers(acme.ana, both)
    press(acme, answer, "vouch_ask_privately")
    return acme.slack.workspace.direct(acme.ben.id)


WAYS = pytest.mark.parametrize("way", [in_an_ephemeral_channel, by_the_command, by_the_shortcut, in_private])
Way = Callable[[Company, Channel], Channel]


def about(acme: Company, channel: Channel) -> Message:
    return acme.slack.deliveries.say(acme.ana.id, channel, PLAN)


def press(acme: Company, message: Message, action_id: str) -> None:
    [button] = [one for block in message.blocks if block["type"] == "actions" for one in block["elements"]
                if one["action_id"] == action_id]
    assert acme.slack.deliveries.press(acme.ben.id, message, {
        "type": "button", "action_id": action_id, "value": button["value"]})


def channel(acme: Company) -> Channel:
    return acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")


@WAYS
def test_who_asks_alone_is_told_at_once_that_somebody_looks(acme: Company, way: Way) -> None:
    both = channel(acme)
    where = way(acme, both)
    [told] = until(lambda: [m for m in acme.answers(acme.ben, both) if m.text in (LOOKING, TOLD)])
    assert told.only_for == acme.ben.id
    acme.answer_all()
    assert SAYS in acme.answers(acme.ben, where)[-1].shown()
    settled(acme)
    assert SAYS not in acme.shown(acme.ana, both) and LATE not in acme.shown(acme.ben, where)


def test_who_mentions_it_is_told_when_it_takes_too_long(acme: Company) -> None:
    both = channel(acme)
    assert acme.bot is not None
    acme.bot.progress._patience = 0.5
    acme.slack.deliveries.say(acme.ana.id, both, at(PLAN))
    [told] = until(lambda: [m for m in acme.answers(acme.ana, both) if LATE in m.shown()])
    assert (told.only_for, told.thread_ts) == (acme.ana.id, None)       # Slack hides it in a new thread


@WAYS
def test_who_asks_alone_is_told_when_it_takes_too_long(acme: Company, way: Way) -> None:
    both = channel(acme)
    assert acme.bot is not None
    acme.bot.progress._patience = 0.5
    where = way(acme, both)
    [told] = until(lambda: [m for m in acme.answers(acme.ben, where) if LATE in m.shown()])
    assert "Question slack:T0ACME:" in told.shown() and "performance" not in told.shown()
    assert LATE not in acme.shown(acme.ana, both)
    settled(acme)
    acme.answer_all()
    assert SAYS in acme.answers(acme.ben, where)[-1].shown()


def test_the_shortcut_tells_in_a_direct_message_where_the_app_is_not(acme: Company) -> None:
    both = channel(acme)
    said = about(acme, both)
    both.members.remove("U0VOUCH")
    assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
    direct = acme.slack.workspace.direct(acme.ben.id)
    assert until(lambda: [m for m in acme.answers(acme.ben, direct) if m.text == LOOKING])
    acme.answer_all()
    assert SAYS in acme.answers(acme.ben, direct)[-1].shown()


def test_who_asks_the_same_alone_again_is_told_where_the_answer_is(acme: Company) -> None:
    both = channel(acme)
    direct = by_the_shortcut(acme, both)
    acme.answer_all()
    said = acme.slack.workspace.messages[0]
    assert acme.slack.deliveries.shortcut(acme.ben.id, said, SHORTCUT)
    assert until(lambda: [m for m in acme.answers(acme.ben, both) if m.text == ANSWERED])
    acme.answer_all()
    settled(acme)
    assert sum(SAYS in m.shown() for m in acme.answers(acme.ben, direct)) == 1


def test_a_shared_question_shows_in_its_thread_that_it_is_worked_on(acme: Company) -> None:
    both = channel(acme)
    direct = in_private_of_ben(acme, both)
    acme.slack.workspace.statuses.clear()
    press(acme, acme.answers(acme.ben, direct)[-1], "vouch_share")
    root = acme.slack.workspace.messages[0].ts
    assert until(lambda: ("C1", root) in acme.slack.workspace.status)
    with held(acme):
        [shown] = until(lambda: streamed(acme))
        assert shown.thread_ts == root
    settled(acme)
    assert shown.metadata and SAYS not in shown.shown() and acme.slack.workspace.status == {}


def in_private_of_ben(acme: Company, both: Channel) -> Channel:
    acme.ask(acme.ben, both, at(PLAN))
    [answer] = [m for m in acme.answers(acme.ben, both) if not m.only_for]
    press(acme, answer, "vouch_ask_privately")
    acme.answer_all()
    return acme.slack.workspace.direct(acme.ben.id)
