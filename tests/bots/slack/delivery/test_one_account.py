"""What Slack refuses about one account, or may not look up, keeps nobody else from being told, and waits itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, Company, at, company

from bots.slack.answers.layout import NEED_HUMAN
from vouch.adapters.ledger import Ledger

pytestmark = pytest.mark.integration


def noticed(acme: Company, where: Any, person: Any, words: str) -> bool:
    acme.noticed()
    acme.bot.upkeep.post_due()
    return words in acme.shown(person, where)


def refusing(acme: Company, monkeypatch: pytest.MonkeyPatch, of: Callable[[str, dict[str, Any]], bool]) -> None:
    """Slack answers such calls in a word that nobody knows."""
    real = acme.slack.api.call

    def call(name: str, given: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"ok": False, "error": "something_new"} if of(name, given) else real(name, given, **more)

    monkeypatch.setattr(acme.slack.api, "call", call)


@pytest.mark.parametrize("method", ["conversations.open", "chat.postMessage"])
def test_an_account_that_slack_refuses_keeps_the_other_of_that_person_from_nothing(
    ledger: Ledger, memory_folder: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    with company(ledger, memory_folder, "http", people={"U0OLD": "user:ben@acme.test"}) as acme:
        old = acme.slack.workspace.user("U0OLD", "Ben old", "")
        where = acme.slack.workspace.channel("C1", "c1", [acme.ben.id, acme.boss.id], "private")
        theirs = acme.slack.workspace.direct(old.id).id
        refusing(acme, monkeypatch, lambda name, given: name == method and (
            given.get("users") == "U0OLD" or given.get("channel") == theirs))
        acme.slack.deliveries.say(acme.ben.id, where, at(LEAVE))
        where.archived = True
        acme.answer_all(200)
        assert noticed(acme, acme.slack.workspace.direct(acme.ben.id), acme.ben, "I cannot answer a question of yours")


def test_an_owner_who_is_set_is_called_without_a_look_at_addresses(ledger: Ledger, memory_folder: Path) -> None:
    people = {"U0BEN": "user:ben@acme.test", "U0BOSS": "user:boss@acme.test", "U0ANA": "user:ana@acme.test"}
    with company(ledger, memory_folder, "http", owners="user:boss@acme.test", people=people) as acme:
        acme.slack.api.scopes = acme.slack.api.scopes - {"users:read.email"}
        where = acme.slack.workspace.channel("C1", "all", [acme.ana.id, acme.ben.id, acme.boss.id], "private")
        acme.ask(acme.ben, where, at(LEAVE))
        answer = next(one for one in acme.answers(acme.ben, where) if one.metadata)
        button = next(one for block in answer.blocks if block["type"] == "actions" for one in block["elements"]
                      if one["action_id"] == NEED_HUMAN)
        acme.slack.deliveries.press(acme.ben.id, answer,
                                    {"type": "button", "action_id": NEED_HUMAN, "value": button["value"]})
        acme.bot.rest()
        assert noticed(acme, where, acme.boss, "would like a human")


def test_what_a_person_is_told_waits_while_slack_does_not_tell_who_it_is(
    ledger: Ledger, memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with company(ledger, memory_folder, "http") as acme:
        where = acme.slack.workspace.channel("C1", "c1", [acme.ben.id, acme.boss.id], "private")
        acme.slack.deliveries.say(acme.ben.id, where, at(LEAVE))
        where.archived = True
        with monkeypatch.context() as away:
            refusing(acme, away, lambda name, _: name == "users.info")
            acme.answer_all(200)
            [waiting] = acme.ledger.notices.waiting()
        acme.ledger.notices.later(waiting, acme.now())
        assert noticed(acme, acme.slack.workspace.direct(acme.ben.id), acme.ben, "I cannot answer a question of yours")
