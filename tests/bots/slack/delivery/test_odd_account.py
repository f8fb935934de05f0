"""Slack does not tell of one account, in a word that nobody knows: no question is lost, and whoever else is told is."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, at, company

from bots.slack.answers.layout import NEED_HUMAN, PRIVATELY, SHARE
from bots.slack.answers.sharing import UNTOLD
from bots.slack.channels.rules import NOBODY_KNOWS
from bots.slack.handoff.handover import UNKNOWN
from bots.slack.handoff.views import RESOLVE, TAKE
from bots.slack.hearing.asking import NOT_ALONE
from bots.slack.notices import posting
from bots.slack.simulator import Channel, Message, User
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.engine.schema import notices
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
CANNOT = "I cannot answer a question of yours"


def refusing(acme: Company, monkeypatch: pytest.MonkeyPatch, method: str, **given: str) -> None:
    real = acme.slack.api.call

    def call(name: str, said: dict[str, Any], **more: Any) -> dict[str, Any]:
        odd = name == method and all(said.get(one) == value for one, value in given.items())
        return {"ok": False, "error": "something_new"} if odd else real(name, said, **more)

    monkeypatch.setattr(acme.slack.api, "call", call)


def everybody(acme: Company) -> Channel:
    people = [acme.ana.id, acme.ben.id, acme.boss.id]
    return acme.slack.workspace.channel("C1", "all", people, "private")


def press(acme: Company, user: User, message: Message, action: str) -> bool:
    [value] = [one["value"] for block in message.blocks if block["type"] == "actions" for one in block["elements"]
               if one["action_id"] == action]
    done = acme.slack.deliveries.press(user.id, message, {"type": "button", "action_id": action, "value": value})
    acme.bot.rest()  # type: ignore[union-attr]
    return done


def answer(acme: Company, user: User, where: Channel) -> Message:
    return next(one for one in acme.answers(user, where) if one.metadata)


def direct(acme: Company, user: User) -> Channel:
    return acme.slack.workspace.direct(user.id)


def told(acme: Company, user: User) -> str:
    return acme.shown(user, direct(acme, user))


def again(acme: Company) -> list[str]:
    """What waits is due now, and tried."""
    for waiting in acme.ledger.notices.waiting():
        acme.ledger.notices.later(waiting, acme.now())
    acme.bot.upkeep.post_due()  # type: ignore[union-attr]
    return acme.ledger.notices.waiting()


def test_who_is_only_named_in_a_question_is_somebody(over_http: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    acme, where = over_http, everybody(over_http)
    acme.slack.workspace.user("U0ODD", "Odd", "odd@acme.test")
    refusing(acme, monkeypatch, "users.info", user="U0ODD")
    acme.ask(acme.ben, where, at(f"<@U0ODD> asks: {LEAVE}"))
    assert "12 weeks" in acme.shown(acme.ben, where)


def test_a_question_of_such_an_account_is_answered_as_anybodys(
    over_http: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, where, since = over_http, everybody(over_http), over_http.now() - timedelta(hours=1)
    refusing(acme, monkeypatch, "users.info", user="U0BEN")
    acme.ask(acme.ben, where, at(LEAVE))
    assert "12 weeks" in acme.shown(acme.ben, where)
    acme.ask(acme.ben, direct(acme, acme.ben), PLAN)
    assert len(acme.answers(acme.ben, direct(acme, acme.ben))) == 1 and "60 days" not in told(acme, acme.ben)
    assert len(acme.ledger.asked_by.recent("user:slack.t0acme.u0ben", "slack", since, 9)) == 2
    assert press(acme, acme.ana, answer(acme, acme.ana, where), PRIVATELY)


def test_such_an_account_is_told_what_becomes_of_its_question(
    over_http: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, where = over_http, everybody(over_http)
    refusing(acme, monkeypatch, "users.info", user="U0BEN")
    acme.slack.deliveries.say(acme.ben.id, where, at(LEAVE))
    where.archived = True
    acme.answer_all(200)
    again(acme)
    assert CANNOT in told(acme, acme.ben)


def test_a_list_of_who_may_ask_refuses_such_an_account_with_a_word(
    over_http: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, where = over_http, everybody(over_http)
    acme.ledger.access.set_directory(acme.access.directory)
    acme.ledger.slack_channels.set("C1", ChannelSettings(askers=("user:ben@acme.test",)), "test")
    refusing(acme, monkeypatch, "users.info", user="U0BEN")
    acme.ask(acme.ben, where, at(LEAVE))
    assert acme.shown(acme.ben, where) == NOBODY_KNOWS


@pytest.mark.parametrize(("method", "given", "who"), [
    ("users.info", {"user": "U0ANA"}, "Somebody"), ("users.lookupByEmail", {"email": "ben@acme.test"}, "Ana"),
], ids=["asker", "owner"])
def test_owners_are_called_whoever_else_slack_does_not_tell_of(
    ledger: Ledger, memory_folder: Path, monkeypatch: pytest.MonkeyPatch, method: str, given: dict[str, str], who: str
) -> None:
    with company(ledger, memory_folder, "http", owners="group:people") as acme:
        acme.ledger.access.set_directory(acme.access.directory)
        where = everybody(acme)
        acme.ask(acme.ana, where, at(LEAVE))
        refusing(acme, monkeypatch, method, **given)
        assert press(acme, acme.ana, answer(acme, acme.ana, where), NEED_HUMAN)
        again(acme)
        shown = acme.shown(acme.boss, where)
        assert "<@U0BOSS>" in shown and f"{who} would like a human" in shown


@pytest.mark.parametrize("odd", ["U0BEN", "U0OLD"])
def test_of_two_accounts_the_one_that_slack_does_not_tell_of_is_told_later(
    ledger: Ledger, memory_folder: Path, monkeypatch: pytest.MonkeyPatch, odd: str
) -> None:
    people = {"U0OLD": "user:ben@acme.test", "U0BEN": "user:ben@acme.test"}
    with company(ledger, memory_folder, "http", people=people) as acme:
        old, where = acme.slack.workspace.user("U0OLD", "Ben old", ""), everybody(acme)
        acme.slack.deliveries.say(acme.ben.id, where, at(LEAVE))
        where.archived = True
        late, soon = (acme.ben, old) if odd == "U0BEN" else (old, acme.ben)
        with monkeypatch.context() as away:
            refusing(acme, away, "users.info", user=odd)
            acme.answer_all(200)
            again(acme)
            assert CANNOT in told(acme, soon) and not told(acme, late)
        assert again(acme) == []
        assert CANNOT in told(acme, late) and len(acme.answers(soon, direct(acme, soon))) == 1


def test_refusals_are_counted_without_the_tries_of_an_outage(
    over_http: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = over_http
    monkeypatch.setattr(posting, "_MOST_REFUSED", 3)
    acme.ledger.notices.add("more", "rollback", {"owner": "user:boss@acme.test", "text": "put back"}, acme.now())
    with acme.ledger._database.write() as connection:       # an outage of some hours
        connection.execute(notices.update().values(tries=30))
    with monkeypatch.context() as away:
        refusing(acme, away, "conversations.open")
        for _ in range(2):
            assert again(acme) == ["more"]
    assert again(acme) == [] and "put back" in told(acme, acme.boss)
    acme.ledger.notices.add("last", "rollback", {"owner": "user:boss@acme.test", "text": "again"}, acme.now())
    refusing(acme, monkeypatch, "conversations.open")
    assert [again(acme) for _ in range(3)][-1] == []


def test_the_button_of_what_may_stand_works_while_slack_shows_no_message(
    over_http: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, where = over_http, everybody(over_http)
    acme.slack.fault("chat.postMessage", "lost")
    acme.slack.deliveries.say(acme.ben.id, where, at(LEAVE))
    acme.answer_all(1)
    refusing(acme, monkeypatch, "conversations.replies", channel="C1")
    acme.answer_all(400)
    [notice] = acme.answers(acme.ben, direct(acme, acme.ben))
    assert "may stand where you asked it" in notice.shown() and press(acme, acme.ben, notice, PRIVATELY)
    acme.answer_all()
    assert "12 weeks" in told(acme, acme.ben)


def test_a_share_says_so_where_slack_shows_no_message(over_http: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    acme, where = over_http, everybody(over_http)
    acme.ask(acme.ben, where, at(LEAVE))
    assert press(acme, acme.ben, answer(acme, acme.ben, where), PRIVATELY)
    acme.answer_all()
    private = answer(acme, acme.ben, direct(acme, acme.ben))
    refusing(acme, monkeypatch, "conversations.replies", channel="C1")
    assert press(acme, acme.ben, private, SHARE)
    acme.noticed()
    again(acme)
    assert UNTOLD in told(acme, acme.ben)


def test_where_slack_opens_no_conversation_whoever_asks_alone_is_told(
    over_http: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, where = over_http, everybody(over_http)
    acme.ask(acme.ana, where, at(LEAVE))
    refusing(acme, monkeypatch, "conversations.open", users="U0BEN")
    assert acme.slack.deliveries.command(acme.ben.id, where, "/vouch", LEAVE) == NOT_ALONE
    assert press(acme, acme.ben, answer(acme, acme.ben, where), PRIVATELY)
    assert NOT_ALONE in acme.shown(acme.ben, where) and NOT_ALONE not in acme.shown(acme.ana, where)


def test_who_presses_is_told_where_slack_does_not_tell_who_they_are(
    ledger: Ledger, memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(ledger, memory_folder, "http", owners="user:boss@acme.test") as acme:
        where = everybody(acme)
        refusing(acme, monkeypatch, "users.info", user="U0BEN")
        acme.ask(acme.ana, where, at(LEAVE))
        assert press(acme, acme.ana, answer(acme, acme.ana, where), NEED_HUMAN)
        again(acme)
        notice = acme.answers(acme.boss, where)[-1]
        for action in (TAKE, RESOLVE):
            assert press(acme, acme.ben, notice, action)
        assert acme.shown(acme.ben, where).count(UNKNOWN) == 2
        assert acme.ledger.handoffs.list()[0].state == "open"
        assert press(acme, acme.boss, notice, TAKE) and acme.ledger.handoffs.list()[0].state == "taken"
