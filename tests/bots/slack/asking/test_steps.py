"""`steps:N` in a question in Slack: taken out of its words, obeyed, kept by edits, and said in the small print."""

import re
from collections.abc import Iterator

import pytest
from slack_scene.slack_company import LEAVE, VPN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.channels.operators import read_steps
from bots.slack.simulator import Channel
from vouch.errors import BadInput
from vouch.ports.surface import ChannelSettings

TWO = "How many weeks of paid parental leave do parents get and how often are the VPN keys rotated?"
STEPS = re.compile(r"\d further steps: there (?:is|was)")


@pytest.fixture
def acme(place: Place) -> Iterator[Company]:
    with company(*place) as made:
        made.ledger.access.set_directory(made.access.directory)
        yield made


def channel_of_ana(acme: Company) -> Channel:
    acme.ledger.slack_channels.set("C1", ChannelSettings(), "terminal")
    return acme.slack.workspace.channel("C1", "alone", [acme.ana.id], "private")


@pytest.mark.parametrize(("text", "rest", "steps"), [
    ("steps:4 Who?", " Who?", 4), ("Who? STEPS:0.", "Who? ", 0), ("steps:2 Who? steps:3", " Who? ", 3),
    ("Who? (steps:4)", "Who? ", 4), ('Who? steps:"4"', "Who? ", 4), ("steps: 4 Who?", " Who?", 4),
    ("Who? Steps: 2 ", "Who? ", 2),
    ("Which steps: 2 or 3?", "Which steps: 2 or 3?", None),
    ("Which steps: a or b?", "Which steps: a or b?", None), ("footsteps:4", "footsteps:4", None), ("", "", None),
])
def test_the_word_is_read(text: str, rest: str, steps: int | None) -> None:
    assert read_steps(text) == (rest, steps)


@pytest.mark.parametrize("text", ["steps:9", "steps:many", "steps:-1", "steps:4 steps:x", "steps:²",
                                  "steps:" + "9" * 400])
def test_no_number_is_no_question(text: str) -> None:
    with pytest.raises(BadInput):
        read_steps(text)


@EVERYWHERE
@pytest.mark.integration
def test_a_question_with_the_word_takes_steps_and_says_so(acme: Company) -> None:
    channel = channel_of_ana(acme)
    acme.ask(acme.ana, channel, at(TWO))
    asked = acme.ask(acme.ana, channel, at(f"{TWO} steps:4"))
    without, answer = acme.answers(acme.ana, channel)
    assert "further step" not in without.shown()
    assert STEPS.search(answer.shown()) and "12 weeks" in answer.shown()
    body = acme.ledger.answers.by_question(f"slack:T0ACME:C1:{asked.ts}")
    assert body and body["question"] == TWO and len(body["steps"]) >= 2


@EVERYWHERE
@pytest.mark.integration
def test_an_edit_brings_its_own(acme: Company) -> None:
    channel = channel_of_ana(acme)
    asked = acme.slack.deliveries.say(acme.ana.id, channel, at(VPN))
    acme.slack.deliveries.edit(asked, at(f"{TWO} source:handbook steps:4"))
    acme.answer_all()
    [answer] = acme.answers(acme.ana, channel)
    assert STEPS.search(answer.shown()) and "only from: source handbook" in answer.shown()
    other = acme.slack.deliveries.say(acme.ana.id, channel, at(f"{TWO} steps:4"))
    acme.slack.deliveries.edit(other, at(LEAVE))
    acme.answer_all()
    assert "further step" not in acme.answers(acme.ana, channel)[-1].shown()


@EVERYWHERE
@pytest.mark.integration
def test_what_is_no_number_is_said_and_nothing_is_searched(acme: Company) -> None:
    channel = channel_of_ana(acme)
    acme.ask(acme.ana, channel, at(f"{LEAVE} steps:many"))
    assert not acme.ledger.outbox.counts() and "steps:4" in acme.shown(acme.ana, channel)


@EVERYWHERE
@pytest.mark.integration
def test_asked_again_privately_it_takes_as_many(acme: Company) -> None:
    channel = channel_of_ana(acme)
    acme.ask(acme.ana, channel, at(f"{TWO} steps:4"))
    [answer] = acme.answers(acme.ana, channel)
    button = next(one["elements"][0] for one in answer.blocks if one["type"] == "actions")
    acme.slack.deliveries.press(acme.ana.id, answer, {
        "type": "button", "action_id": button["action_id"], "value": button["value"]})
    acme.answer_all()
    assert STEPS.search(acme.shown(acme.ana, acme.slack.workspace.direct(acme.ana.id)))
