"""How to ask is told alike, whichever way somebody asks for help."""

import re

import pytest
from slack_scene.slack_company import Company, at
from slack_scene.slack_slow import until

from bots.slack.channels.operators import read_operators, read_steps
from bots.slack.how_to_ask import HELP
from bots.slack.personal.views import home_view

pytestmark = pytest.mark.integration


def test_help_says_the_same_to_a_mention_a_direct_message_and_the_command(acme: Company) -> None:
    channel = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    direct = acme.slack.workspace.direct(acme.ana.id)
    for place, words in ((channel, at("Help")), (direct, "help")):
        acme.ask(acme.ana, place, words)
        until(lambda place=place: bool(acme.answers(acme.ana, place)))
        assert [one.text for one in acme.answers(acme.ana, place)] == [HELP]
    assert acme.slack.deliveries.command(acme.ana.id, channel, "/vouch", "Help") == HELP


@pytest.mark.parametrize("told", [HELP, home_view({}, [])["blocks"][1]["text"]["text"]], ids=["help", "home tab"])
def test_what_is_said_to_add_is_obeyed(told: str) -> None:
    """Each example of it, with a channel and a person where it names one in capitals."""
    written = told.replace("\u2060", "").replace("#CHANNEL", "<#C5>").replace("@PERSON", "<@U1>")
    added = re.findall(r"\w+:[^\s;,.]+", written)
    rest, filters = read_operators(f"How? {' '.join(added)}", {"C5": ("rules",)}.get, {"U1": ("user:u", "U")}.get)
    rest, steps = read_steps(rest)
    assert (rest.strip(), steps) == ("How?", 0) and filters.sources == ("NAME", "rules")
    assert filters.paths == ("FOLDER/",) and filters.owners == ("user:u",) and str(filters.after) == "2026-01-31"
