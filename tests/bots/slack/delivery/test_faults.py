"""Slack fails, repeats itself, and is imitated: each question is answered once, and what is forged not at all."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from running.soak_table import Figures
from slack_scene.slack_company import LEAVE, PLAN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, SIGNED

from bots.slack.simulator.workspace import BOT_USER, TEAM, Channel, Message
from vouch.adapters.ledger import Ledger
from vouch.errors import LogDown
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration


Fault = tuple[str, float]
POSTS = [("500", 0.0), ("done500", 0.0), ("lost", 0.0), ("reset", 0.0), ("429", 0.0), ("429", 1.0), ("slow", 1.5)]
LOOKS = [None, ("500", 0.0), ("reset", 0.0), ("429", 0.0), ("slow", 1.5)]


def answers_in_spite_of(acme: Company, people: Channel, post: Fault, look: Fault | None) -> int:
    """How often one question is answered there."""
    acme.hasten(post, look)
    for method in ("chat.postMessage", "conversations.replies"):
        acme.slack.faults[method].clear()
    acme.slack.fault("chat.postMessage", *post)
    if look:
        acme.slack.fault("conversations.replies", "none")           # the look for stages, before the post
        acme.slack.fault("conversations.replies", *look)
    asked = acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    acme.answer_all(400)
    assert acme.ledger.outbox.counts().keys() == {"sent"}
    return sum("60 days" in m.shown() for m in acme.answers(acme.ben, people) if m.thread_ts == asked.ts)


@pytest.mark.parametrize("look", LOOKS, ids=str)
@pytest.mark.parametrize("post", POSTS, ids=str)
def test_an_answer_comes_once_whatever_becomes_of_its_post_and_of_the_look_after_it(
    over_http: Company, post: Fault, look: Fault | None
) -> None:
    people = over_http.slack.workspace.channel("C1", "people", [over_http.ben.id], "private")
    assert answers_in_spite_of(over_http, people, post, look) == 1


@EVERYWHERE
def test_an_answer_comes_once_whatever_becomes_of_its_post_everywhere(acme: Company) -> None:
    """Those of above that take no time, one after another, the look failing as the post does where it can."""
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    for post in POSTS[:5]:
        assert answers_in_spite_of(acme, people, post, post if post in LOOKS else None) == 1, post


@pytest.mark.soak
@EVERYWHERE
def test_an_answer_comes_once_with_each_fault_of_post_and_look_everywhere(
    acme: Company, figures: Figures, request: pytest.FixtureRequest
) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    every = sorted(((post, look) for post in POSTS for look in LOOKS), key=lambda both: ("slow", 1.5) in both)
    found = [answers_in_spite_of(acme, people, post, look) for post, look in every]
    figures(f"Slack refuses, loses, limits, or delays the post of an answer and the look after it, "
            f"{request.node.callspec.params['place']}", f"{len(found)} questions, each with faults of its own",
            f"{found.count(0)} lost, {sum(n > 1 for n in found)} double")
    assert found == [1] * len(every)


def test_a_surface_that_forgets_what_it_posted_would_be_seen(ledger: Ledger, memory_folder: Path) -> None:
    with company(ledger, memory_folder, "http", progress="status") as acme:     # a slow answer is a post, too
        people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
        acme.slack.fault("chat.postMessage", "lost")
        acme.parts.surface._is = lambda *_: False  # type: ignore[union-attr,method-assign]
        acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
        acme.answer_all(400)
        assert len(acme.answers(acme.ben, people)) == 2


@pytest.mark.parametrize("fault", [("500", 0.0), ("reset", 0.0), ("429", 0.0), ("slow", 1.5)], ids=str)
@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.info"])
def test_an_answer_waits_until_somebody_can_tell_who_reads_along(
    over_http: Company, method: str, fault: tuple[str, float]
) -> None:
    people = over_http.slack.workspace.channel("C1", "people", [over_http.ben.id], "private")
    over_http.slack.deliveries.say(over_http.ben.id, people, at(PLAN))
    over_http.hasten(fault)
    for _ in range(2):
        over_http.slack.fault(method, *fault)
    over_http.answer_all(400)
    [answer] = over_http.answers(over_http.ben, people)
    assert "60 days" in answer.shown()


def test_a_repeated_event_and_its_twin_are_one_question(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.ask(acme.ben, people, at(PLAN))
    for delivered in list(acme.slack.deliveries.log) * 2:
        assert acme.slack.deliveries.repeat(delivered.event).acked
    for delivered in list(acme.slack.deliveries.log):
        assert acme.slack.deliveries.anew(delivered.event).acked
    acme.answer_all()
    assert len(acme.answers(acme.ben, people)) == 1


@EVERYWHERE
def test_nothing_that_is_told_again_is_seen_again_or_counts_again(acme: Company) -> None:
    """Also what has no `ts` of its own, and a question that has its answer by then or was refused."""
    people, slack = acme.slack.workspace.channel("C1", "people", [acme.ana.id, acme.ben.id], "private"), acme.slack
    acme.ledger.slack_channels.set("C2", ChannelSettings(askers=("U0NOBODY",)), "test")
    closed = slack.workspace.channel("C2", "closed", [acme.ben.id], "private")
    slack.deliveries.say(acme.ben.id, people, at(PLAN))
    slack.deliveries.edit(acme.slack.workspace.messages[-1], at(LEAVE))
    slack.deliveries.delete(slack.deliveries.say(acme.ben.id, people, at(PLAN)))
    slack.deliveries.say(acme.ben.id, slack.workspace.direct(acme.ben.id), "")
    slack.deliveries.say(acme.ben.id, closed, at(LEAVE))
    acme.answer_all()
    [answer] = acme.answers(acme.ben, people)
    for thumb in ("+1", "-1"):
        slack.deliveries.react(acme.ben.id, answer, thumb)
    for tab in ("home", "messages"):
        slack.deliveries.event({"type": "app_home_opened", "user": acme.ana.id, "tab": tab, "event_ts": "1.0",
                                "channel": slack.workspace.direct(acme.ana.id).id}, "app_home_opened")
    slack.deliveries.join(acme.boss.id, people)

    def seen() -> dict[str, object]:
        acme.answer_all()
        acme.bot.rest()  # type: ignore[union-attr]
        space = slack.workspace
        return {"messages": [one.shown() for one in space.messages], "status": dict(space.status),
                "statuses": len(space.statuses), "votes": acme.ledger.feedback.list(),
                "home": {view["for"]: view["blocks"] for view in space.views if view["type"] == "home"},
                "prompts": set(map(str, space.prompts)),
                "questions": acme.ledger.outbox.counts()}

    before = seen()
    assert "Ask me" in acme.shown(acme.ben, slack.workspace.direct(acme.ben.id)) and len(before["votes"]) == 1  # type: ignore[arg-type]
    assert "only some" in acme.shown(acme.ben, closed)
    told = list(slack.deliveries.log)
    for again in (slack.deliveries.repeat, slack.deliveries.anew):
        for delivered in told + told[::-1]:
            assert again(delivered.event).acked
        assert seen() == before


@EVERYWHERE
def test_an_event_is_acknowledged_only_after_the_log_has_the_question(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    app, failures = acme.slack.deliveries.app, [1, 1, 1]
    app.in_time = 1.0
    real = acme.bot.producer.send  # type: ignore[union-attr]

    def send(*given: object) -> object:
        if failures:
            failures.pop()
            app.in_time = 1.0 if failures else 15.0     # of the next try: a busy machine answers late
            raise LogDown("the log is away")
        return real(*given)  # type: ignore[arg-type]

    object.__setattr__(acme.bot.producer, "send", send)  # type: ignore[union-attr]
    asked = acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    mention, twin = acme.slack.deliveries.log
    assert (mention.tries, mention.acked, twin.acked) == (4, True, True)
    acme.answer_all()
    assert [m.thread_ts for m in acme.answers(acme.ben, people)] == [asked.ts]


def test_slack_that_is_down_when_a_reply_comes_is_not_told_that_the_reply_was_taken(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    other = acme.slack.deliveries.say(acme.ben.id, people, "Who is on call?")
    acme.slack.deliveries.app.in_time = 0.5
    acme.slack.fault("conversations.replies", "500")
    acme.slack.deliveries.say(acme.ben.id, people, LEAVE, other.ts)
    assert acme.slack.deliveries.log[-1].tries == 2 and acme.slack.deliveries.log[-1].acked


def test_the_bot_connects_again_when_slack_closes_the_connection(ledger: Ledger, memory_folder: Path) -> None:
    with company(ledger, memory_folder, "socket") as acme:
        people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
        acme.slack.sockets.disconnect()
        acme.slack.sockets.wait_for_app(20.0)
        acme.ask(acme.ben, people, at(PLAN))
        assert len(acme.answers(acme.ben, people)) == 1


def event(acme: Company, text: str) -> bytes:
    ts = acme.slack.workspace.moment()
    return json.dumps({
        "type": "event_callback", "team_id": TEAM, "event_id": "Ev1",
        "event": {"type": "app_mention", "channel": "C1", "user": acme.ben.id, "text": at(text), "ts": ts},
    }).encode()


@pytest.mark.parametrize("place", SIGNED, indirect=True)
def test_what_is_not_signed_by_slack_is_refused(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    body, now, deliveries = event(acme, PLAN), int(time.time()), acme.slack.deliveries
    good = deliveries.app.signed(body)
    stamp, sign = "X-Slack-Request-Timestamp", "X-Slack-Signature"
    forged = [
        {}, {stamp: good[stamp]}, {sign: good[sign]}, deliveries.app.signed(body, secret="another"),
        deliveries.app.signed(body, now - 600), deliveries.app.signed(body, now + 600), good | {stamp: "soon"},
        good | {stamp: "-1"}, good | {stamp: "9" * 400}, good | {sign: "v0="}, good | {sign: ""},
        good | {sign: good[sign].upper()}, deliveries.app.signed(body + b" "), good | {stamp: "١٢٣"},
    ]
    for headers in forged:
        headers = {name: value.encode().decode("latin-1") for name, value in headers.items()}
        assert deliveries.app.post(body, {"Content-Type": "application/json", **headers})[0] == 401, headers
    assert deliveries.app.post(b"\xff\xfe", deliveries.app.signed(b"\xff\xfe"))[0] == 401
    acme.answer_all()
    assert acme.answers(acme.ben, people) == []
    for _ in range(2):                  # the same signed request again, as within five minutes anybody could
        assert deliveries.app.post(body, {"Content-Type": "application/json", **good})[0] == 200
    acme.answer_all()
    assert len(acme.answers(acme.ben, people)) == 1


def test_requests_that_are_too_large_or_go_elsewhere_are_refused(over_http: Company) -> None:
    deliveries = over_http.slack.deliveries
    body = b"x" * 1_000_001
    assert deliveries.app.post(body, deliveries.app.signed(body))[0] in (0, 413)
    deliveries.app.request_url = deliveries.app.request_url.replace("/slack/events", "/else")
    assert deliveries.app.post(b"{}", deliveries.app.signed(b"{}"))[0] == 404


def gone(acme: Company, channel: Channel) -> None:
    channel.members.remove(BOT_USER)


def archived(acme: Company, channel: Channel) -> None:
    channel.archived = True


def not_for_apps(acme: Company, channel: Channel) -> None:
    acme.slack.fault("chat.postMessage", "restricted_action_read_only_channel")


@pytest.mark.parametrize(("refuse", "why"), [
    (gone, "I am not in that conversation any more"), (archived, "the conversation is archived"),
    (not_for_apps, "only some people may write there"),
])
def test_who_asked_where_slack_takes_no_answer_for_good_is_told_alone_and_why(
    acme: Company, refuse: Callable[[Company, Channel], None], why: str
) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id])
    asked = acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    refuse(acme, people)
    acme.answer_all()
    assert acme.ledger.outbox.counts() == {"failed": 1} and acme.answers(acme.ben, people) == []
    direct = acme.slack.workspace.direct(acme.ben.id)
    [told] = acme.answers(acme.ben, direct)
    assert why in told.shown() and f"slack:T0ACME:C1:{asked.ts}" in told.shown()
    assert not any(word in told.shown() for word in ("60 days", "performance", "plan.md"))
    press(acme, told)
    assert "60 days" in acme.answers(acme.ben, direct)[-1].shown()    # alone, with what he may read


def press(acme: Company, message: Message) -> None:
    [button] = next(one["elements"] for one in message.blocks if one["type"] == "actions")
    assert acme.slack.deliveries.press(acme.ben.id, message, {
        "type": "button", "action_id": button["action_id"], "value": button["value"]})
    acme.answer_all()


def test_who_left_an_ephemeral_channel_or_is_unknown_to_the_directory_is_told_too(acme: Company) -> None:
    lobby = acme.slack.workspace.channel("C1", "lobby", [acme.ben.id])
    acme.ledger.slack_channels.set("C1", ChannelSettings(ephemeral=True), "test")
    acme.ben.confirmed = False
    acme.slack.deliveries.say(acme.ben.id, lobby, at(LEAVE))
    lobby.members.remove(acme.ben.id)
    acme.answer_all()
    [told] = acme.answers(acme.ben, acme.slack.workspace.direct(acme.ben.id))
    assert "you are not in that conversation any more" in told.shown() and "12 weeks" not in told.shown()


def test_a_channel_without_the_app_ends_the_question_and_not_the_sender(acme: Company) -> None:
    people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
    acme.slack.deliveries.say(acme.ben.id, people, at(PLAN))
    gone(acme, people)
    acme.answer_all()
    other = acme.slack.workspace.channel("C2", "people", [acme.ben.id], "private")
    acme.ask(acme.ben, other, at(PLAN))
    assert len(acme.answers(acme.ben, other)) == 1
    assert acme.ledger.outbox.counts() == {"failed": 1, "sent": 1}
