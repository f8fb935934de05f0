"""A question that is not asked: whoever wrote it is told why, whatever fails or dies after Slack was acknowledged."""

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_places import EVERYWHERE

from bots.slack.channels.rules import NOT_YOU
from bots.slack.hearing.asking import NAMED_NO_MORE
from bots.slack.simulator import Channel
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
FAULTS = [("500", 0.0), ("429", 0.0), ("reset", 0.0)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.slack.notices.posting._AGAIN", timedelta(seconds=0.05))


def channel(acme: Company) -> Channel:
    acme.ledger.slack_channels.set("C1", ChannelSettings(askers=("user:boss@acme.test",)), "test")
    return acme.slack.workspace.channel("C1", "one", [acme.ben.id, acme.boss.id], "private")


def told(acme: Company, where: Channel, seconds: float = 10.0) -> list[str]:
    end = time.monotonic() + seconds
    while not acme.answers(acme.ben, where) and time.monotonic() < end:
        time.sleep(0.02)
    acme.bot.rest()  # type: ignore[union-attr]
    return [one.shown() for one in acme.answers(acme.ben, where)]


def refused_directly(acme: Company, where: Channel) -> None:
    acme.slack.deliveries.say(acme.ben.id, where, "after:yesterday " + LEAVE)


def refused_there(acme: Company, where: Channel) -> None:
    acme.slack.deliveries.say(acme.ben.id, where, at(LEAVE))


def named_no_more(acme: Company, where: Channel) -> None:
    acme.ledger.slack_channels.unset(where.id)
    acme.slack.deliveries.edit(acme.slack.deliveries.say(acme.ben.id, where, at(LEAVE)), "How many weeks of leave?")


CASES: list[tuple[str, Callable[[Company, Channel], None], str]] = [
    ("direct", refused_directly, "I did not ask this"), ("channel", refused_there, NOT_YOU),
    ("channel", named_no_more, NAMED_NO_MORE),
]


@pytest.mark.parametrize(("place_of", "refuse", "words"), CASES)
def test_a_refusal_is_told_once_also_if_slack_fails_once(
    over_http: Company, place_of: str, refuse: Callable[[Company, Channel], None], words: str
) -> None:
    for fault in FAULTS:
        acme = over_http
        where = acme.slack.workspace.direct(acme.ben.id) if place_of == "direct" else channel(acme)
        before = len(acme.answers(acme.ben, where))
        acme.slack.fault("chat.postMessage" if place_of == "direct" else "chat.postEphemeral", *fault)
        refuse(acme, where)
        end = time.monotonic() + 10
        while len(acme.answers(acme.ben, where)) == before and time.monotonic() < end:
            time.sleep(0.02)
        assert [words in one for one in told(acme, where)[before:]] == [True], fault


@EVERYWHERE
def test_a_refusal_is_told_by_whichever_bot_comes_after_one_that_died(acme: Company) -> None:
    """Nothing that its threads had in mind is left."""
    assert acme.bot is not None
    acme.bot.upkeep.end()
    for pool in (acme.bot.aside, acme.bot.at_once):
        pool.shutdown(wait=True)
    direct, one = acme.slack.workspace.direct(acme.ben.id), channel(acme)
    refused_directly(acme, direct)
    refused_there(acme, one)
    assert acme.slack.deliveries.log[-1].acked and acme.slack.deliveries.log[0].acked
    acme.bot.close()
    acme.start()
    assert ["I did not ask this" in one for one in told(acme, direct)] == [True]
    assert told(acme, one) == [NOT_YOU]
    for delivered in list(acme.slack.deliveries.log):
        assert acme.slack.deliveries.anew(delivered.event).acked
    assert len(told(acme, direct)) == 1 and told(acme, one) == [NOT_YOU]


def test_a_refusal_waits_for_no_slow_home_tab(over_http: Company) -> None:
    acme = over_http
    for person in (acme.ana, acme.boss) * 4:
        acme.slack.fault("views.publish", "slow", 6.0)
        acme.slack.deliveries.opened(person.id, "home")
    begun, direct = time.monotonic(), acme.slack.workspace.direct(acme.ben.id)
    refused_directly(acme, direct)
    while not acme.answers(acme.ben, direct) and time.monotonic() - begun < 20:
        time.sleep(0.02)
    assert time.monotonic() - begun < 5.0
