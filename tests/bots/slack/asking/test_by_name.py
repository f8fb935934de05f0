"""Vouch hears its name in plain letters too."""

import pytest
from slack_scene.slack_company import LEAVE, Company

from bots.slack.addressing import calls_by_name, without_name

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(("text", "said"), [
    ("vouch, what is concur?", "what is concur?"), ("Vouch, and hotels?", "and hotels?"),
    ("vouch what is a performance plan", "what is a performance plan"), ("hey vouch, help", "help"),
    ("what is concur, vouch?", "what is concur?"),
])
def test_what_is_said_to_it(text: str, said: str) -> None:
    assert calls_by_name(text) and without_name(text) == said


@pytest.mark.parametrize("text", [
    "", "vouch", "vouch for Ana", "vouch is down", "what is vouch?", "I can vouch for that, Ana",
    "Ana, vouch for me, ok?",
])
def test_what_is_said_of_it(text: str) -> None:
    assert not calls_by_name(text) and without_name(text) == text


def test_in_a_channel_of_mentions_it_answers_to_its_name(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, LEAVE)
    assert acme.answers(acme.ben, both) == []
    acme.ask(acme.ana, both, f"vouch, {LEAVE}")
    [answer] = acme.answers(acme.ben, both)
    assert "12 weeks" in answer.shown()
