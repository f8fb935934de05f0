"""Thumbs that people give to the stages of a question are votes once its answer stands there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_slow import held, settled, streamed, until

from bots.slack.progress import showing
from bots.slack.questions import moment
from bots.slack.simulator import Channel, Message

pytestmark = pytest.mark.integration


@pytest.fixture
def people(acme: Company) -> Channel:
    app = acme.slack.workspace.user("U0APP", "app", is_bot=True)
    guest = acme.slack.workspace.user("U0GUEST", "guest", "guest@else.test", guest=True)
    members = [acme.ana.id, acme.ben.id, acme.boss.id, app.id, guest.id]
    return acme.slack.workspace.channel("C1", "people", members, "private")


@contextmanager
def stages(acme: Company, people: Channel) -> Iterator[Message]:
    """While they are shown; then all is answered."""
    acme.slack.deliveries.say(acme.ana.id, people, at(LEAVE))
    with held(acme):
        [shown] = until(lambda: streamed(acme))
        yield shown
    settled(acme)
    acme.answer_all()


def votes(acme: Company) -> dict[str, str]:
    return {vote.person: vote.vote for vote in acme.ledger.feedback.list()}


def test_a_thumb_under_the_stages_counts_when_they_become_the_answer(acme: Company, people: Channel) -> None:
    react = acme.slack.deliveries.react
    with stages(acme, people) as shown:
        for user, name in ((acme.ben.id, "+1"), ("U0GUEST", "-1"), ("U0APP", "+1"), (acme.boss.id, "tada")):
            react(user, shown, name)
        react(acme.ana.id, shown, "-1")
        react(acme.ana.id, shown, "-1", removed=True)
        assert acme.ledger.feedback.list() == []
    assert shown.metadata and "12 weeks" in shown.shown()
    assert votes(acme) == {"user:ben@acme.test": "up", "user:slack.t0acme.u0guest": "down"}
    assert {vote.at for vote in acme.ledger.feedback.list()} == {moment(shown.ts)}      # what comes later is later


def test_a_later_vote_of_the_same_person_counts_in_its_stead(acme: Company, people: Channel) -> None:
    react = acme.slack.deliveries.react
    with stages(acme, people) as shown:
        for user in (acme.ben.id, acme.boss.id):
            react(user, shown, "+1")
    react(acme.ben.id, shown, "-1")
    react(acme.boss.id, shown, "+1", removed=True)
    acme.answer_all()
    assert votes(acme) == {"user:ben@acme.test": "down"}


def test_thumbs_under_stages_that_another_message_answers_are_none(acme: Company, people: Channel) -> None:
    with stages(acme, people) as shown:
        acme.slack.deliveries.react(acme.ben.id, shown, "+1")
        for method in ("chat.stopStream", "chat.update"):
            acme.slack.fault(method, "429", 30.0)
    [answer] = [m for m in acme.answers(acme.ana, people) if m.metadata]
    assert answer is not shown and "12 weeks" in answer.shown() and votes(acme) == {}


def test_one_account_that_slack_does_not_tell_of_keeps_no_other_vote(
    acme: Company, people: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = acme.slack.api.call

    def call(name: str, said: dict[str, Any], **more: Any) -> dict[str, Any]:
        odd = (name, said.get("user")) == ("users.info", acme.boss.id)
        return {"ok": False, "error": "something_new"} if odd else real(name, said, **more)

    with stages(acme, people) as shown:
        for user in (acme.boss.id, acme.ben.id):
            acme.slack.deliveries.react(user, shown, "-1")
        monkeypatch.setattr(acme.slack.api, "call", call)
    assert votes(acme) == {"user:ben@acme.test": "down"}


def test_of_who_gave_both_neither_counts(acme: Company, people: Channel) -> None:
    """Slack does not tell which came last."""
    with stages(acme, people) as shown:
        for name in ("+1", "-1"):
            acme.slack.deliveries.react(acme.ben.id, shown, name)
        acme.slack.deliveries.react(acme.boss.id, shown, "+1")
    assert votes(acme) == {"user:boss@acme.test": "up"}


def test_an_account_that_slack_does_not_tell_of_loses_nobody_elses_vote(
    acme: Company, people: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = acme.slack.api.call

    def call(name: str, said: Any, **more: Any) -> Any:
        odd = shown.metadata and (name, said.get("user")) == ("users.info", acme.boss.id)      # it is the answer by now
        return {"ok": False, "error": "internal_error"} if odd else real(name, said, **more)

    monkeypatch.setattr(showing, "_AGAIN_S", 0.1)
    acme.slack.deliveries.say(acme.ana.id, people, at(LEAVE))
    with held(acme):
        [shown] = until(lambda: streamed(acme))
        for user in (acme.boss.id, acme.ben.id):
            acme.slack.deliveries.react(user, shown, "-1")
        monkeypatch.setattr(acme.slack.api, "call", call)
    until(lambda: (acme.answer_all(), votes(acme))[1])
    assert votes(acme) == {"user:ben@acme.test": "down"}


def test_an_app_that_sees_no_metadata_keeps_its_answer(acme: Company, people: Channel) -> None:
    """It knows it by its buttons."""
    acme.slack.api.scopes = {one for one in acme.slack.api.scopes if one != "metadata.message:read"}
    with stages(acme, people) as shown:
        acme.slack.deliveries.react(acme.ben.id, shown, "-1")
    assert "12 weeks" in acme.shown(acme.ana, people) and "12 weeks" in shown.shown()
    assert votes(acme) == {"user:ben@acme.test": "down"}
