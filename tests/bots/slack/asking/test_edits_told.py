"""What whoever edits a question is told."""

import pytest
from slack_scene.slack_company import LEAVE, Company, at

from bots.slack.hearing.asking import NAMED_NO_MORE
from bots.slack.how_to_ask import HELP

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(("into", "told"), [
    ("How do I book travel?", NAMED_NO_MORE), ("see you at four", NAMED_NO_MORE), (at("help"), HELP),
])
def test_whoever_takes_a_question_back_by_an_edit_is_told(acme: Company, into: str, told: str) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    asked = acme.slack.deliveries.say(acme.ana.id, both, at(LEAVE))
    acme.slack.deliveries.edit(asked, into)
    acme.answer_all()
    assert acme.bot is not None
    acme.bot.rest()
    assert [one.text for one in acme.answers(acme.ana, both)] == [told] and not acme.answers(acme.ben, both)
