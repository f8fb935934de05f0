"""Whose votes count, and on which answers."""

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at
from slack_scene.slack_places import EVERYWHERE

from bots.slack.answers.layout import FEEDBACK
from bots.slack.handoff.handover import GONE
from bots.slack.simulator import Message, User

pytestmark = pytest.mark.integration


def answer_of(message: Message) -> str:
    return str((message.metadata or {})["event_payload"]["answer_id"])


def press(acme: Company, person: User, message: Message, value: str) -> None:
    assert acme.slack.deliveries.press(person.id, message, {
        "type": "feedback_buttons", "action_id": FEEDBACK, "value": value})
    assert acme.bot is not None
    acme.bot.rest()


@EVERYWHERE
def test_a_vote_counts_where_its_answer_was_posted_or_on_ones_own_question(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    people = acme.slack.workspace.channel("C2", "people", [acme.ben.id], "private")
    acme.ask(acme.ben, people, at(PLAN))
    acme.ask(acme.ana, both, at(LEAVE))
    [elsewhere], [here] = acme.answers(acme.ben, people), acme.answers(acme.ana, both)
    press(acme, acme.ana, here, f"down.{answer_of(here)}")
    views, reason = acme.slack.workspace.views, {"why": {"why": {"selected_option": {"value": "wrong"}}}}
    kept, before = views[-1]["private_metadata"], len(views)
    forged = views[-1] | {"private_metadata": kept.replace(answer_of(here), answer_of(elsewhere))}
    press(acme, acme.ana, here, f"down.{answer_of(elsewhere)}")
    assert GONE in acme.shown(acme.ana, both) and GONE not in acme.shown(acme.ben, both) and len(views) == before
    assert acme.slack.deliveries.submit(acme.ana.id, forged, reason)
    press(acme, acme.ben, here, f"up.{answer_of(elsewhere)}")
    acme.answer_all()
    assert {(v.person, v.vote, v.category) for v in acme.ledger.feedback.list()} == {
        ("user:ana@acme.test", "down", None), ("user:ben@acme.test", "up", None)}
