"""The daily digest reaches owners in the loopback Slack as a direct message, each once."""

import time
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from slack_scene.slack_company import Company
from slack_scene.slack_places import EVERYWHERE

from bots.slack.notices.owners_told import OwnerNotices
from bots.slack.notices.posting import NoticePoster

pytestmark = pytest.mark.integration


@EVERYWHERE
def test_an_owner_reads_it_in_a_direct_message_and_nobody_else_does(acme: Company) -> None:
    stranger = acme.slack.workspace.user("U0X", "X", "x@acme.test", confirmed=False)
    acme.slack.fault("chat.postMessage", "lost")
    text = "• <!channel> [x](http://evil.test): 3 questions"
    for owner in ("user:boss@acme.test", "user:x@acme.test", "user:nobody@acme.test"):
        body = {"owner": owner, "lines": [{"text": text, "document": ""}]}
        acme.ledger.notices.add(f"digest.2026-11-23.{owner}", "digest", body, datetime.now(UTC))
    end = time.monotonic() + 30
    while acme.ledger.notices.waiting() and time.monotonic() < end:
        time.sleep(0.05)
    [shown] = acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id))
    assert "3 questions" in shown.shown() and "<!channel>" not in shown.shown()
    assert "[x](" not in shown.shown() and "http://" not in shown.shown()
    for other in (acme.ana, stranger):
        assert acme.answers(other, acme.slack.workspace.direct(other.id)) == []


def test_an_owner_is_told_of_a_model_that_was_put_back(acme: Company) -> None:
    body = {"owner": "user:boss@acme.test", "text": "fusion-1 was replaced by fusion-0, since it was worse"}
    acme.ledger.notices.add("rollback.fusion.2.user:boss@acme.test", "rollback", body, datetime.now(UTC))
    end = time.monotonic() + 30
    while acme.ledger.notices.waiting() and time.monotonic() < end:
        time.sleep(0.05)
    [shown] = acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id))
    assert "fusion-1 was replaced by fusion-0" in shown.shown()
    assert acme.answers(acme.ana, acme.slack.workspace.direct(acme.ana.id)) == []


def test_what_its_owner_may_not_read_by_then_is_left_out(acme: Company) -> None:
    asked: list[tuple[str, list[str]]] = []

    def readable(tag: str, documents: Collection[str]) -> set[str]:
        asked.append((tag, list(documents)))
        return {"docs:open.md"}

    assert acme.bot is not None
    acme.bot.upkeep.end()
    owner = "user:boss@acme.test"
    lines = [("2 questions", ""), ("• docs:open.md: 1 answer", "docs:open.md"), ("• 4 answers", "docs:shut.md")]
    body = {"owner": owner, "lines": [{"text": text, "document": document} for text, document in lines]}
    old = {"owner": owner, "text": "• docs:shut.md: 4 answers"}       # of an earlier release
    acme.ledger.notices.add("digest.1", "digest", body, datetime.now(UTC))
    acme.ledger.notices.add("digest.2", "digest", old, datetime.now(UTC))
    poster: NoticePoster = acme.bot.upkeep.post_one.__self__  # type: ignore[attr-defined]
    told: OwnerNotices = replace(poster.kinds["digest"].__self__, readable=readable)  # type: ignore[attr-defined]
    poster = replace(poster, kinds={**poster.kinds, **told.kinds()})
    while poster.step():
        pass
    [shown] = acme.answers(acme.boss, acme.slack.workspace.direct(acme.boss.id))
    assert "open.\u2060md" in shown.shown() and "4 answers" not in shown.shown() and "2 questions" in shown.shown()
    assert asked == [(owner, ["docs:open.md", "docs:shut.md"])] and not acme.ledger.notices.waiting()
