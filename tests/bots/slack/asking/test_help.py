"""How to ask is told alike, whichever way somebody asks for help."""

import pytest
from slack_scene.slack_company import Company, at
from slack_scene.slack_slow import until

from bots.slack.hearing.asking import HELP

pytestmark = pytest.mark.integration


def test_help_says_the_same_to_a_mention_a_direct_message_and_the_command(acme: Company) -> None:
    channel = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    direct = acme.slack.workspace.direct(acme.ana.id)
    for place, words in ((channel, at("Help")), (direct, "help")):
        acme.ask(acme.ana, place, words)
        until(lambda place=place: bool(acme.answers(acme.ana, place)))
        assert [one.text for one in acme.answers(acme.ana, place)] == [HELP]
    assert acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", "Help") == HELP
