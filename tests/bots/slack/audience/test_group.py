"""Group conversations in the loopback Slack: everybody in one reads along, as in a channel."""

import pytest
from slack_scene.slack_company import LEAVE, PLAN, VPN, Company, at
from slack_scene.slack_places import EVERYWHERE

pytestmark = pytest.mark.integration


@EVERYWHERE
def test_a_group_conversation_is_answered_from_what_all_of_it_may_read(acme: Company) -> None:
    """Asked, asked on, and voted on; whoever else has a conversation with the same people is not in it."""
    space = acme.slack.workspace
    both, few = space.together([acme.ana.id, acme.ben.id]), space.together([acme.boss.id, acme.ben.id])
    for text in (PLAN, VPN):
        acme.ask(acme.ben, both, at(text))
    assert "60 days" not in acme.shown(acme.ana, both) and "90 days" not in acme.shown(acme.ana, both)
    first = acme.ask(acme.ben, few, at(PLAN))
    acme.ask(acme.boss, few, LEAVE, first.ts)
    acme.ask(acme.boss, few, at(VPN))
    answers = [m for m in acme.answers(acme.ben, few) if m.metadata]
    assert ["60 days" in m.shown() for m in answers] == [True, False, False]
    assert "90 days" not in acme.shown(acme.ben, few) and "12 weeks" in answers[1].shown()
    assert {m.thread_ts for m in answers[:2]} == {first.ts} and acme.answers(acme.ana, few) == []
    acme.slack.deliveries.react(acme.boss.id, answers[0], "+1")
    button = next(one["elements"][0] for one in answers[0].blocks if one["type"] == "context_actions")
    assert acme.slack.deliveries.press(acme.ben.id, answers[0], {
        "type": "feedback_buttons", "action_id": button["action_id"], "value": button["negative_button"]["value"]})
    acme.answer_all()
    assert {(v.person, v.vote) for v in acme.ledger.feedback.list()} == {
        ("user:boss@acme.test", "up"), ("user:ben@acme.test", "down")}


@EVERYWHERE
def test_in_a_group_conversation_the_asker_alone_is_told_of_more_and_may_share_it(acme: Company) -> None:
    both = acme.slack.workspace.together([acme.ana.id, acme.ben.id])
    acme.ask(acme.ben, both, at(PLAN))
    [told] = [m for m in acme.answers(acme.ben, both) if m.only_for]
    [button] = [b["elements"][0] for b in told.blocks if b["type"] == "actions"]
    assert acme.slack.deliveries.press(acme.ben.id, told, {
        "type": "button", "action_id": button["action_id"], "value": button["value"]})
    acme.answer_all()
    [private] = [m for m in acme.answers(acme.ben, acme.slack.workspace.direct(acme.ben.id)) if m.metadata]
    assert "60 days" in private.shown()
    shares = [e for b in private.blocks if b["type"] == "actions" for e in b["elements"]
              if e["action_id"] == "vouch_share"]
    assert acme.slack.deliveries.press(acme.ben.id, private, {
        "type": "button", "action_id": "vouch_share", "value": shares[0]["value"]})
    acme.answer_all()
    assert sum(bool(m.metadata) for m in acme.answers(acme.ana, both)) == 2
    assert "60 days" not in acme.shown(acme.ana, both)


def test_who_may_read_nothing_makes_a_group_conversation_public(acme: Company) -> None:
    guest = acme.slack.workspace.user("U0G", "Guest", "guest@acme.test", guest=True)
    three = acme.slack.workspace.together([acme.boss.id, acme.ben.id, guest.id])
    acme.ask(acme.ben, three, at(PLAN))
    acme.ask(acme.ben, three, at(LEAVE))
    assert "60 days" not in acme.shown(guest, three) and "12 weeks" in acme.shown(guest, three)


@EVERYWHERE
def test_a_question_in_a_group_conversation_is_edited_and_taken_back(acme: Company) -> None:
    both = acme.slack.workspace.together([acme.ana.id, acme.ben.id])
    asked = acme.slack.deliveries.say(acme.ana.id, both, at(VPN))
    acme.slack.deliveries.edit(asked, at(LEAVE))
    acme.slack.deliveries.delete(acme.slack.deliveries.say(acme.ben.id, both, at(PLAN)))
    acme.answer_all()
    [answer] = [m for m in acme.answers(acme.ana, both) if m.metadata]
    assert "12 weeks" in answer.shown() and answer.thread_ts == asked.ts
