"""What people write while a question of theirs is being answered."""

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_slow import held, settled

from bots.slack.hearing.asking import NAMED_NO_MORE
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
AND_THEN = "And within how many years must it be used?"


def test_a_question_that_is_told_not_to_be_answered_is_not(acme: Company) -> None:
    acme.ledger.slack_channels.set("C1", ChannelSettings(answers="questions"), "test")
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    asked = acme.slack.deliveries.say(acme.ana.id, both, at(LEAVE))
    with held(acme) as gate:
        assert gate.reached.wait(10.0)
        acme.slack.deliveries.edit(asked, LEAVE)
        acme.bot.rest()  # type: ignore[union-attr]
    settled(acme)
    assert [one.shown() for one in acme.answers(acme.ana, both)] == [NAMED_NO_MORE]
    assert acme.answers(acme.ben, both) == [] and acme.ledger.outbox.counts() == {}


def test_a_reply_that_comes_before_the_answer_to_what_nobody_addressed_is_answered(acme: Company) -> None:
    acme.ledger.slack_channels.set("C1", ChannelSettings(answers="questions"), "test")
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    asked = acme.slack.deliveries.say(acme.ana.id, both, LEAVE)
    acme.slack.deliveries.say(acme.ana.id, both, AND_THEN, asked.ts)
    acme.answer_all()
    assert len(acme.answers(acme.ben, both)) == 2
    acme.ask(acme.ana, both, AND_THEN, asked.ts)
    assert len(acme.answers(acme.ben, both)) == 3
