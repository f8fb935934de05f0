"""People ask in the loopback Slack, over both transports, and read what they may."""

import logging

import pytest
from slack_scene.slack_company import LEAVE, PLAN, VPN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN, SECRET
from consumers.questions.answerer import Answerer
from vouch.messages import QuestionAsked
from vouch.values.question import Question

pytestmark = pytest.mark.integration


@EVERYWHERE
def test_a_mention_gets_one_cited_answer_in_its_thread(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    asked = acme.ask(acme.ben, people, at(PLAN))
    [answer] = acme.answers(acme.ben, people)
    assert answer.thread_ts == asked.ts
    assert "60 days" in answer.shown() and "[1] plan" in answer.shown() and "confidence" in answer.shown()
    assert acme.slack.workspace.statuses[-1][:2] == ("C1", asked.ts)
    assert len(acme.slack.deliveries.log) == 2 and all(one.acked for one in acme.slack.deliveries.log)


@EVERYWHERE
def test_a_direct_message_is_answered_with_the_rights_of_its_one_reader(acme: Company) -> None:
    for person, seen in ((acme.ana, False), (acme.ben, True)):
        direct = acme.slack.workspace.direct(person.id)
        acme.ask(person, direct, PLAN)
        assert ("60 days" in acme.shown(person, direct)) == seen


def test_a_channel_gets_what_all_of_its_members_may_read(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    for text in (PLAN, VPN):
        acme.ask(acme.ben, both, at(text))
    assert "60 days" not in acme.shown(acme.ben, both) and "90 days" not in acme.shown(acme.ben, both)
    acme.ask(acme.ana, both, at(LEAVE))
    assert "12 weeks" in acme.shown(acme.ana, both)
    assert len(acme.answers(acme.ana, both)) == 3


def test_whoever_joins_before_the_answer_is_posted_counts(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    real, joined = acme.sender._ledger.outbox.posting, []

    def join(*given: object) -> bool:
        if not joined:
            people.members.append(acme.ana.id)
            joined.append(True)
        return real(*given)  # type: ignore[arg-type]

    acme.sender._ledger.outbox.posting = join  # type: ignore[method-assign,assignment]
    acme.answer_all()
    [answer] = acme.answers(acme.ana, people)
    assert joined and "60 days" not in answer.shown()


@EVERYWHERE
def test_an_untagged_reply_in_a_thread_that_it_has_joined_is_a_question(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    asked = acme.ask(acme.ben, people, at(LEAVE))
    acme.ask(acme.ben, people, PLAN, asked.ts)
    acme.ask(acme.ben, people, "thanks, we will see.", asked.ts)
    for text in (f"<@{acme.ana.id}> what do you think?", "who wants coffee", "and then we left", "Ana, is it done?"):
        acme.ask(acme.ben, people, text, asked.ts)
    assert ["60 days" in m.shown() for m in acme.answers(acme.ben, people)] == [False, True]
    other = acme.slack.deliveries.say(acme.ben.id, people, "Who is on call?")
    acme.ask(acme.ben, people, LEAVE, other.ts)
    assert len(acme.answers(acme.ben, people)) == 2


def test_what_people_say_without_naming_vouch_is_never_searched_for_elsewhere(
    acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    real = Answerer._question

    def noted(answerer: Answerer, message: QuestionAsked) -> Question:
        question = real(answerer, message)
        asked.append(question.outside)
        return question

    monkeypatch.setattr(Answerer, "_question", noted)
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    first = acme.ask(acme.ben, people, at(LEAVE))
    for text in (PLAN, at(PLAN)):
        acme.ask(acme.ben, people, text, first.ts)
    acme.ask(acme.ben, acme.slack.workspace.direct(acme.ben.id), PLAN)
    assert asked == [True, False, True, True]


@EVERYWHERE
def test_the_command_is_answered_in_a_direct_message(acme: Company) -> None:
    lobby = acme.slack.workspace.channel("C1", "lobby", [acme.ana.id, acme.ben.id])
    assert "direct message" in acme.slack.deliveries.command(acme.ben.id, lobby, "/vouch", PLAN)
    acme.answer_all()
    assert "60 days" in acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))
    assert "You asked" in acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))
    assert acme.shown(acme.ana, lobby) == ""
    assert "Ask me" in acme.slack.deliveries.command(acme.ben.id, lobby, "/vouch", "")


def test_a_better_answer_is_given_to_whoever_asks_for_it_alone(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(PLAN))
    [answer] = acme.answers(acme.ben, both)
    button = next(one["elements"][0] for one in answer.blocks if one["type"] == "actions")
    for person, seen in ((acme.ana, False), (acme.ben, True)):
        for _ in range(2):
            assert acme.slack.deliveries.press(person.id, answer, {
                "type": "button", "action_id": button["action_id"], "value": button["value"]})
        acme.answer_all()
        direct = acme.slack.workspace.direct(person.id)
        assert len(acme.answers(person, direct)) == 1
        assert ("60 days" in acme.shown(person, direct)) == seen
    assert "60 days" not in acme.shown(acme.ana, both)


@EVERYWHERE
def test_one_vote_a_person_counts_the_last_with_its_reason(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(LEAVE))
    [answer] = acme.answers(acme.ana, both)
    buttons = next(one["elements"][0] for one in answer.blocks if one["type"] == "context_actions")

    def press(person: str, side: str) -> None:
        assert acme.slack.deliveries.press(person, answer, {
            "type": "feedback_buttons", "action_id": buttons["action_id"], "value": buttons[side]["value"]})

    press(acme.ana.id, "positive_button")
    press(acme.ana.id, "negative_button")
    view = acme.slack.workspace.views[-1]
    assert acme.slack.deliveries.submit(acme.ana.id, view, {
        "why": {"why": {"selected_option": {"value": "outdated"}}}, "words": {"words": {"value": "since May"}}})
    acme.slack.deliveries.react(acme.ben.id, answer, "+1")
    acme.slack.deliveries.react(acme.ben.id, answer, "tada")
    acme.answer_all()
    votes = {(v.person, v.vote, v.category, v.reason) for v in acme.ledger.feedback.list()}
    assert votes == {
        ("user:ana@acme.test", "down", "outdated", "since May"), ("user:ben@acme.test", "up", None, None),
    }  # fmt: skip


def test_a_thumb_that_is_removed_is_no_vote_any_more(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ben, both, at(LEAVE))
    [answer], deliveries = acme.answers(acme.ben, both), acme.slack.deliveries
    button = answer.blocks[-2]["elements"][0]
    deliveries.press(acme.ana.id, answer, {
        "type": "feedback_buttons", "action_id": button["action_id"], "value": button["negative_button"]["value"]})
    steps = [(acme.ana, "+1", False, {"ana": "up"}), (acme.ben, "-1", False, {"ana": "up", "ben": "down"}),
             (acme.ben, "-1", True, {"ana": "up"}), (acme.ana, "tada", True, {"ana": "up"}),
             (acme.ana, "+1", True, {"ana": "down"})]
    for person, name, removed, votes in steps:
        deliveries.react(person.id, answer, name, removed=removed)
        assert deliveries.log[-1].acked
        acme.answer_all()
        assert {v.person[5:8]: v.vote for v in acme.ledger.feedback.list()} == votes


@pytest.mark.parametrize("mapped", [False, True], ids=["unknown", "whose rights were set"])
def test_thumbs_of_apps_are_no_votes_and_those_of_guests_count_as_theirs(place: Place, mapped: bool) -> None:
    with company(*place, people={"U0APP": "group:people"} if mapped else {}) as acme:
        app = acme.slack.workspace.user("U0APP", "app", is_bot=True)
        guest = acme.slack.workspace.user("U0GUEST", "guest", "guest@else.test", guest=True)
        channel = acme.slack.workspace.channel("C1", "all", [acme.ana.id, app.id, guest.id], "private")
        acme.ask(acme.ana, channel, at(LEAVE))
        [answer] = acme.answers(acme.ana, channel)
        for one in (app, guest):
            acme.slack.deliveries.react(one.id, answer, "+1")
            assert acme.slack.deliveries.log[-1].acked
        acme.answer_all()
        assert [v.person for v in acme.ledger.feedback.list()] == ["user:slack.t0acme.u0guest"]


def test_what_is_no_question_is_told_to_the_person_alone(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(""))
    acme.ask(acme.ana, both, at("why " * 1100))
    acme.bot.rest()  # type: ignore[union-attr]
    assert "Ask me" in acme.shown(acme.ana, both) and "4,000" in acme.shown(acme.ana, both)
    assert acme.shown(acme.ben, both) == ""


def test_other_apps_edits_and_news_of_the_channel_are_no_questions(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    for rest in ({"bot_id": "B9"}, {"subtype": "message_changed"}, {"subtype": "bot_message"}, {"app_id": "A9"},
                 {"edited": {"user": acme.ben.id, "ts": "1.0"}}):
        acme.slack.deliveries.say(acme.ben.id, people, at(PLAN), **rest)
    acme.answer_all()
    assert acme.answers(acme.ben, people) == []


def test_the_home_tab_says_how_to_ask(acme: Company) -> None:
    acme.slack.deliveries.event({"type": "app_home_opened", "user": acme.ana.id, "tab": "home", "channel": "D1",
                                 "event_ts": "1.0"}, "app_home_opened")
    acme.bot.rest()  # type: ignore[union-attr]
    assert [view["for"] for view in acme.slack.workspace.views] == [acme.ana.id]


def test_neither_words_nor_secrets_are_logged(acme: Company, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.CRITICAL, "kafka")         # whose client shows bytes at debug, where vouch lets it
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.slack.fault("chat.postMessage", "500")
    acme.ask(acme.ben, people, at(PLAN))
    assert len(acme.answers(acme.ben, people)) == 1
    for secret in ("performance", "60 days", BOT_TOKEN, APP_TOKEN, SECRET):
        assert secret not in caplog.text


def test_the_library_s_quiet_log_silences_none_of_ours(acme: Company) -> None:
    """It sets the level of a logger that has the name of its app, at each event."""
    acme.ask(acme.ben, acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private"), at(PLAN))
    tops = [logging.getLogger(name) for name in ("vouch", "bots", "consumers", "composition", "services")]
    assert [(one.disabled, one.level) for one in tops] == [(False, logging.NOTSET)] * len(tops)
