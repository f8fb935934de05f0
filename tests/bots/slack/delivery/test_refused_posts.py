"""Slack refuses a post, or takes long: answers of a thread keep their order, and other channels do not wait."""

import time
from datetime import timedelta
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at, company
from slack_scene.slack_places import EVERYWHERE, Place

from bots.slack.api import OddRefusal, Pace
from bots.slack.place import Place as Where
from bots.slack.progress.finishing import ShownStages
from bots.slack.simulator import Channel, Message
from consumers.resilience import Backoff, CircuitBreaker
from consumers.wiring.surfaces import is_gone
from vouch.errors import Busy, Conflict, SurfaceDown

pytestmark = pytest.mark.integration
WEEKS, DAYS = "12 weeks", "60 days"
OF_ONE, LATER = ("no_permission", "access_denied"), ("ekm_access_denied", "external_channel_migrating")


def channel(acme: Company, name: str = "C1") -> Channel:
    return acme.slack.workspace.channel(name, name.lower(), [acme.ben.id, acme.boss.id], "private")


def say(acme: Company, where: Channel, text: str, thread_ts: str | None = None) -> Message:
    return acme.slack.deliveries.say(acme.ben.id, where, at(text), thread_ts)


def shown(acme: Company, where: Channel) -> list[str]:
    told = [one.shown() for one in acme.answers(acme.boss, where)]
    return [words for one in told for words in (WEEKS, DAYS) if words in one]


POSTS = ("chat.postMessage", "chat.startStream")


def refusing(
    acme: Company, monkeypatch: pytest.MonkeyPatch, code: str, methods: tuple[str, ...] = POSTS
) -> None:
    """Slack takes no such call of C1."""
    real = acme.slack.api.call

    def call(name: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
        refused = name.startswith(methods) and given.get("channel", "C1") == "C1"
        return {"ok": False, "error": code} if refused else real(name, given, **more)

    monkeypatch.setattr(acme.slack.api, "call", call)


@EVERYWHERE
def test_the_answers_of_a_thread_come_in_order_whatever_fails_once(acme: Company) -> None:
    faults = [("chat.postMessage", "500"), ("chat.postMessage", "429"), ("chat.postMessage", "lost"),
              ("conversations.members", "500"), ("users.info", "500")]
    for number, (method, fault) in enumerate(faults):
        where = channel(acme, f"C{number}")
        first = say(acme, where, LEAVE)
        say(acme, where, PLAN, first.ts)
        acme.slack.fault(method, fault, 1.0 if fault == "429" else 0.0)
        acme.answer_all(400)
        assert shown(acme, where) == [WEEKS, DAYS], (method, fault)


@pytest.mark.parametrize("progress", ["status", "stream"])
def test_a_refused_post_holds_back_the_posts_in_that_channel_alone(place: Place, progress: str) -> None:
    with company(*place, progress=progress) as acme:
        one, other = channel(acme), channel(acme, "C2")
        acme.slack.fault("chat.postMessage", "429", 3.0)
        say(acme, one, LEAVE)
        acme.answer_all(5)
        say(acme, one, PLAN)
        say(acme, other, LEAVE)
        acme.answer_all(10)
        assert shown(acme, one) == [] and shown(acme, other) == [WEEKS]
        looks = sum(name == "conversations.members" for name, _ in acme.slack.api.calls)
        acme.answer_all(10)
        assert sum(name == "conversations.members" for name, _ in acme.slack.api.calls) == looks
        acme.answer_all(400)
        assert sorted(shown(acme, one)) == sorted([WEEKS, DAYS])


@pytest.mark.parametrize("code", ["restricted_action_thread_locked", "restricted_action_non_threadable_channel",
                                  "team_access_not_granted", "message_limit_exceeded", "something_new", *OF_ONE])
def test_what_slack_refuses_in_words_of_its_own_is_told_and_slows_nobody(
    over_http: Company, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    acme = over_http
    acme.sender._pauses = CircuitBreaker(Backoff(60.0, 60.0))
    one, other = channel(acme), channel(acme, "C2")
    refusing(acme, monkeypatch, code)
    say(acme, one, LEAVE)
    say(acme, other, LEAVE)
    acme.answer_all(200)
    assert shown(acme, other) == [WEEKS] and acme.ledger.outbox.counts() == {"failed": 1, "sent": 1}
    direct = acme.slack.workspace.direct(acme.ben.id)
    assert "where you asked it" in acme.shown(acme.ben, direct)
    assert ("in that thread" in acme.shown(acme.ben, direct)) == (code == "restricted_action_thread_locked")


@pytest.mark.parametrize("progress", ["status", "stream"])
def test_a_thread_that_may_not_be_looked_at_holds_up_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch, progress: str
) -> None:
    with company(*place, progress=progress) as acme:
        one, other = channel(acme), channel(acme, "C2")
        acme.slack.fault("chat.postMessage", "lost")
        say(acme, one, LEAVE)
        acme.answer_all(1)
        acme.sender._pauses = CircuitBreaker(Backoff(60.0, 60.0))
        refusing(acme, monkeypatch, "something_new", ("conversations.replies",))
        say(acme, other, LEAVE)
        acme.answer_all(55)
        assert shown(acme, other) == [WEEKS]
        acme.answer_all(400)
        assert acme.ledger.outbox.counts() == {"failed": 1, "sent": 1}
        told = acme.shown(acme.ben, acme.slack.workspace.direct(acme.ben.id))
        assert shown(acme, one) == [WEEKS] and "may stand where you asked it" in told and "cannot answer" not in told


@pytest.mark.parametrize("method", ["conversations.members", "conversations.info", "users.info"])
def test_where_it_cannot_be_told_who_reads_along_everybody_does(
    over_http: Company, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    acme = over_http
    acme.sender._pauses = CircuitBreaker(Backoff(60.0, 60.0))
    one, other = channel(acme), channel(acme, "C2")
    say(acme, one, PLAN)
    acme.answer_all(0)                  # for the readers of then
    say(acme, other, LEAVE)
    refusing(acme, monkeypatch, "something_new", (method,))
    acme.ledger.outbox.wait(0)
    acme.answer_all(80)
    assert acme.ledger.outbox.counts() == {"sent": 2} and shown(acme, one) == [] and shown(acme, other) == [WEEKS]


@pytest.mark.parametrize("code", LATER)
def test_a_conversation_that_slack_closes_for_a_while_is_waited_for_and_holds_up_no_other(
    over_http: Company, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    acme = over_http
    acme.sender._pauses = CircuitBreaker(Backoff(60.0, 60.0))
    monkeypatch.setattr("bots.slack.answers.surface.CLOSED_S", 0.01)
    one, other = channel(acme), channel(acme, "C2")
    with monkeypatch.context() as away:
        refusing(acme, away, code, (*POSTS, "conversations.replies"))
        say(acme, one, LEAVE)
        say(acme, other, LEAVE)
        acme.answer_all(200)
        assert shown(acme, other) == [WEEKS] and acme.ledger.outbox.counts() == {"pending": 1, "sent": 1}
    acme.answer_all(200)
    assert shown(acme, one) == [WEEKS] and not acme.answers(acme.ben, acme.slack.workspace.direct(acme.ben.id))


@pytest.mark.parametrize("code", (*OF_ONE, *LATER))
def test_a_word_of_one_conversation_is_of_slack_as_a_whole_where_none_is_named(
    over_http: Company, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(over_http.slack.api, "call", lambda *_, **__: {"ok": False, "error": code})
    for named, odd in (("user", False), ("channel", True), ("channel_id", True)):
        with pytest.raises(SurfaceDown) as refused:
            over_http.parts.api.call("users.info", **{named: "C1"})
        assert isinstance(refused.value, OddRefusal) is odd


def test_a_thread_that_may_not_be_looked_at_keeps_no_follow_up_waiting(
    over_http: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, where = over_http, channel(over_http)
    say(acme, where, LEAVE)
    acme.answer_all()
    since = acme.now() - timedelta(hours=1)
    [one] = acme.ledger.asked_by.recent("user:ben@acme.test", "slack", since, 1)
    refusing(acme, monkeypatch, OF_ONE[0], ("conversations.replies",))
    assert is_gone(acme.parts, acme.ledger, one.question)           # it may go to the web
    assert not is_gone(acme.parts, acme.ledger, one.question.model_copy(update={"outside": False}))


@pytest.mark.parametrize("code", ["internal_error", "fatal_error", "service_unavailable", "invalid_auth"])
def test_trouble_of_slack_as_a_whole_is_waited_out(
    over_http: Company, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    where = channel(over_http)
    with monkeypatch.context() as away:
        refusing(over_http, away, code)
        say(over_http, where, LEAVE)
        over_http.answer_all(40)
        assert over_http.ledger.outbox.counts() == {"pending": 1}
    over_http.answer_all(200)
    assert shown(over_http, where) == [WEEKS]


@pytest.mark.parametrize("quick", [True, False], ids=["answer", "decline"])
def test_an_answer_comes_where_slack_takes_long_to_show_a_thread(over_http: Company, quick: bool) -> None:
    """Longer than a look at the readers counts."""
    acme, where = over_http, channel(over_http)
    asked = say(acme, where, LEAVE if quick else "Who won the chess tournament in Riga?")
    for _ in range(40):
        acme.slack.fault("conversations.replies", "slow", 2.2)
    begun = time.monotonic()
    acme.answer_all(2)
    assert acme.ledger.outbox.counts() == {"sent": 1} and time.monotonic() - begun < 15.0
    [answer] = acme.answers(acme.boss, where)
    assert answer.thread_ts == asked.ts


def test_stages_that_slack_has_ended_become_the_answer_where_each_call_takes_long() -> None:
    """Longer than a look at the readers counts: one call a try."""
    calls: list[str] = []

    class Ended:
        def call(self, method: str, **_: object) -> dict[str, object]:
            calls.append(method)
            if method == "chat.stopStream":
                raise Conflict("message_not_in_streaming_state")
            return {}

    def in_time_once() -> None:
        if len(calls) != tried:
            raise Busy("who reads along has to be looked up again")

    stages, tried = ShownStages(Ended(), Pace()), 0  # type: ignore[arg-type]
    given = (Where("T1", "C1", "0.5"), {"ts": "1.0"}, {"blocks": [], "metadata": {}, "text": "Done."}, in_time_once)
    with pytest.raises(Busy):
        stages.finish(*given, well=True)
    tried = len(calls)
    assert stages.finish(*given, well=True) and calls == ["chat.stopStream", "chat.update"]


def test_a_person_with_two_accounts_is_told_in_both_that_a_post_was_refused(place: Place) -> None:
    with company(*place, people={"U0OLD": "user:ben@acme.test"}) as acme:
        old, where = acme.slack.workspace.user("U0OLD", "Ben, once more", ""), channel(acme)
        say(acme, where, LEAVE)
        where.archived = True
        acme.answer_all(200)
        for account in (acme.ben, old):
            assert "is archived" in acme.shown(account, acme.slack.workspace.direct(account.id))
