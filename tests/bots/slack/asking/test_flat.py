"""Direct messages outside a thread go on from what the same person asked there a moment ago."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at
from slack_scene.slack_places import EVERYWHERE
from slack_scene.slack_slow import held

from bots.slack.bot import SHORTCUT
from bots.slack.identity.channel_members import SlackConversations
from bots.slack.place import flat_beginning, is_thread
from bots.slack.questions import order_key
from consumers.questions.flat_follow_ups import last_in_conversation
from vouch.adapters.ledger import Ledger
from vouch.messages import ConversationAudience, QuestionAsked
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
THEN, MORE = "And within how many years must it be used?", "And for whom?"


def understood(acme: Company, person: str) -> list[str]:
    """What each question of this person stands for, as they were asked."""
    since = acme.now().replace(year=2020)
    asked = acme.ledger.asked_by.recent(f"user:{person}@acme.test", "slack", since, 9)
    return [str(one.body["understood_as"]) for one in reversed(asked)]


@EVERYWHERE
def test_it_goes_on_from_the_last_question_and_is_answered_where_it_stands(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ana.id)
    asked = [acme.ask(acme.ana, direct, text) for text in (LEAVE, "thanks!", THEN, MORE)]
    assert understood(acme, "ana") == ["", "", f"{LEAVE} {THEN}", f"{LEAVE} {THEN} {MORE}"]
    assert [m.thread_ts for m in acme.answers(acme.ana, direct)] == [one.ts for one in asked]
    assert "one year" in acme.answers(acme.ana, direct)[2].shown()
    acme.ask(acme.ana, direct, MORE, asked[2].ts)           # in the thread of one that went on itself
    assert understood(acme, "ana")[-1] == f"{LEAVE} {THEN} {MORE}"


def test_it_goes_on_from_a_command_and_a_new_subject_begins_anew(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ben.id)
    acme.slack.deliveries.command(acme.ben.id, direct, "/vouch", PLAN)
    acme.answer_all()
    for text in ("And how often does the manager meet them?", "Expenses?", LEAVE):
        acme.ask(acme.ben, direct, text)
    first, then, *new = understood(acme, "ben")
    assert first == "" and then.startswith(PLAN) and new == ["", ""]


def test_nothing_that_others_or_that_one_asked_elsewhere_counts(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(LEAVE))
    acme.ask(acme.ben, acme.slack.workspace.direct(acme.ben.id), LEAVE)
    acme.ask(acme.ana, acme.slack.workspace.direct(acme.ana.id), THEN)
    acme.ask(acme.ana, both, at(THEN))                      # in a channel only a thread tells what belongs together
    assert understood(acme, "ana") == ["", "", ""]


@pytest.mark.parametrize(("minutes", "thread_hours", "found"), [
    (9.9, 24, True), (10.1, 24, False), (5.9, 0.1, True), (6.1, 0.1, False),
])
def test_a_moment_is_ten_minutes_and_no_longer_than_threads_last(
    ledger: Ledger, minutes: float, thread_hours: float, found: bool
) -> None:
    begins = datetime(2026, 11, 26, 12, tzinfo=UTC)

    def question(ts: str, at: datetime) -> QuestionAsked:
        audience = ConversationAudience(surface="slack", conversation="T1/D1")
        return QuestionAsked(id=f"slack:T1:D1:{ts}", text=LEAVE, surface="slack", asker="user:ana@acme.test",
                             audience=audience, thread=f"T1/D1/{ts}", asked_at=at)

    ledger.answers.record(question("1.5", begins), {"id": "a1", "answer": "", "citations": [], "action": "answered"},
                          [], [], begins)
    now = question("2.5", begins + timedelta(minutes=minutes))
    slack = {"slack": object.__new__(SlackConversations)}       # which asks Slack for nothing here
    assert (last_in_conversation(ledger, thread_hours, slack, now) is not None) == found
    assert last_in_conversation(ledger, thread_hours, {}, now) is None      # other surfaces have threads alone


@pytest.mark.parametrize(("name", "thread", "told"), [
    ("1.5", "T1/D1/1.5", "T1/D1"), ("2.5", "T1/D1/1.5", ""), ("command.1", "T1/D1", "T1/D1"), ("1.5", None, ""),
    ("about.C1.1.5.U1", "T1/D1", ""), ("privately.3f.U1", "T1/D1", ""),
])
def test_what_begins_in_a_direct_message(name: str, thread: str | None, told: str) -> None:
    assert flat_beginning(f"slack:T1:D1:{name}", thread) == told


def test_a_channel_is_no_direct_message() -> None:
    assert flat_beginning("slack:T1:C1:1.5", "T1/C1/1.5") == flat_beginning("slack:T1:C1:1.5", "T1/C1") == ""
    assert flat_beginning("slack:T1:C1:1.5", "T1/C1/U1") == "T1/C1/U1"      # but for one alone it is like one
    assert flat_beginning("slack:T1:C1:1.5", "T1/C1/1.5/U1") == ""
    assert is_thread("T1/C1/1.5") and is_thread("T1/C1/1.5/U1")
    assert not any(is_thread(one) for one in ("T1/C1/U1", "T1/D1", ""))


def test_a_command_and_what_one_alone_sees_the_answer_of_go_on_only_where_words_point_back(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.ana.id)
    for text in (LEAVE, "Expenses?", LEAVE, THEN):
        acme.slack.deliveries.command(acme.ana.id, direct, "/vouch", text)
        acme.answer_all()
    assert understood(acme, "ana") == ["", "", "", f"{LEAVE} {THEN}"]
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ledger.slack_channels.set("C1", ChannelSettings(ephemeral=True), "test")
    for text in (LEAVE, "Expenses?", LEAVE, THEN):
        acme.ask(acme.ana, both, at(text))
    assert understood(acme, "ana")[-4:] == ["", "", "", f"{LEAVE} {THEN}"]


def test_words_of_somebody_else_go_on_from_nothing(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.boss.id)
    both = acme.slack.workspace.channel("C1", "both", [acme.boss.id, acme.ana.id], "private")
    acme.slack.deliveries.command(acme.boss.id, direct, "/vouch", PLAN)
    acme.answer_all()
    for text in ("Expenses?", THEN):
        said = acme.slack.deliveries.say(acme.ana.id, both, text)
        acme.slack.deliveries.shortcut(acme.boss.id, said, SHORTCUT)
        assert acme.bot is not None
        acme.bot.rest()
        acme.answer_all()
    assert understood(acme, "boss") == ["", "", ""]


def test_it_waits_for_the_one_before_it(acme: Company) -> None:
    direct = acme.slack.workspace.direct(acme.boss.id)
    acme.ask(acme.boss, direct, PLAN)
    acme.slack.deliveries.say(acme.boss.id, direct, LEAVE)
    with held(acme) as gate:
        assert gate.reached.wait(10.0)
        acme.slack.deliveries.say(acme.boss.id, direct, THEN)
        time.sleep(1.0)                 # in which another thread of the worker would have read it
    acme.answer_all()
    assert understood(acme, "boss") == ["", "", f"{LEAVE} {THEN}"]


@pytest.mark.parametrize(("conversation", "thread", "key"), [
    ("T1/D1", "T1/D1/1.5", "T1/D1"), ("T1/D1", "T1/D1", "T1/D1"), ("T1/D1", "T1/C1/U1", "T1/D1"),
    ("T1/C1", "T1/C1/1.5", "T1/C1/1.5"), ("T1/G1", "T1/G1/1.5", "T1/G1/1.5"),
])
def test_what_one_alone_reads_is_answered_in_order(conversation: str, thread: str, key: str) -> None:
    asked = QuestionAsked.model_validate({
        "id": "q", "text": "?", "surface": "slack", "asker": "user:ana@acme.test", "thread": thread,
        "audience": {"kind": "conversation", "surface": "slack", "conversation": conversation},
        "asked_at": datetime(2026, 11, 26, tzinfo=UTC)})
    assert order_key(asked) == key.encode()
