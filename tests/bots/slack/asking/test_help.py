"""How to ask is told alike, whichever way somebody asks for help."""

import re

import pytest
from slack_scene.slack_company import Company, at
from slack_scene.slack_slow import until

from bots.slack.channels.operators import read_operators, read_steps
from bots.slack.how_to_ask import HELP

pytestmark = pytest.mark.integration


def test_help_says_the_same_to_a_mention_a_direct_message_and_the_command(acme: Company) -> None:
    channel = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    direct = acme.slack.workspace.direct(acme.ana.id)
    for place, words in ((channel, at("Help")), (direct, "help")):
        acme.ask(acme.ana, place, words)
        until(lambda place=place: bool(acme.answers(acme.ana, place)))
        assert [one.text for one in acme.answers(acme.ana, place)] == [HELP]
    assert acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", "Help") == HELP


def test_what_the_help_says_to_add_is_obeyed() -> None:
    """Each example of it, with a channel and a person where it names one in capitals."""
    added = re.findall(r"\w+:[^\s;,.]+", HELP.replace("#CHANNEL", "<#C5>").replace("@PERSON", "<@U1>"))
    rest, filters = read_operators(f"How? {' '.join(added)}", {"C5": ("rules",)}.get, {"U1": ("user:u", "U")}.get)
    rest, steps = read_steps(rest)
    assert (rest.strip(), steps) == ("How?", 0) and filters.sources == ("NAME", "rules")
    assert filters.paths == ("FOLDER/",) and filters.owners == ("user:u",) and str(filters.after) == "2026-01-31"
