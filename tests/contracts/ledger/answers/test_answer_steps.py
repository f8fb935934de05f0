"""The steps of an answer in the ledger: kept with it, replaced with it, tidied with it, and no trace after a purge."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from learning_scene.answered import leave_answer
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.removal.erasure import Target
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def step(number: int, *chunks: str, **args: Any) -> dict[str, Any]:
    return {"number": number, "tool": "rag", "args": {"query": "0" * 16, "words_of": list(chunks), **args},
            "planner": "rules", "ms": 1.5, "error": "", "stopped": "", "found": [[one, 0.5] for one in chunks]}


def answered(
    ledger: Ledger, number: int, *steps: dict[str, Any], at: datetime = NOW, told: Sequence[dict[str, Any]] = ()
) -> str:
    question = QuestionAsked(id=f"q{number}", text="Who?", surface="terminal", asker="user:ana@acme.test", asked_at=at,
                             audience=TagsAudience(tags=("user:ana@acme.test",)))
    body = {"id": f"a{number}", "answer": "Nobody.", "steps": list(told)}
    ledger.answers.record(question, body, [], (), at, 0, steps)
    return f"a{number}"


def test_they_come_back_in_order(ledger: Ledger) -> None:
    steps = [step(1, "c1"), step(2, "c1", "c2")]
    assert ledger.answers.steps(answered(ledger, 1, *steps)) == steps
    assert ledger.answers.steps(leave_answer(ledger, 2, NOW)) == []


def test_an_answer_made_anew_has_only_its_own(ledger: Ledger) -> None:
    answered(ledger, 1, step(1, "c1"))
    (row,) = ledger.outbox.claim(["terminal"], NOW, timedelta(minutes=1))
    ledger.outbox.replace(row, {"id": "a1", "answer": "Now."}, [], (), NOW, 1, 0, [step(1, "c9")])
    assert [one["found"] for one in ledger.answers.steps("a1")] == [[["c9", 0.5]]]
    (row,) = ledger.outbox.claim(["terminal"], NOW + timedelta(hours=1), timedelta(minutes=1))
    ledger.outbox.replace(row, {"id": "a1", "answer": "No."}, [], (), NOW, 2)
    assert ledger.answers.steps("a1") == []


def test_they_are_tidied_with_their_answer(ledger: Ledger) -> None:
    answered(ledger, 1, step(1, "c1"), at=NOW - timedelta(days=100))
    answered(ledger, 2, step(1, "c1"))
    for row in ledger.outbox.claim(["terminal"], NOW, timedelta(minutes=1)):
        assert ledger.outbox.posting(row, NOW, timedelta(minutes=1)) and ledger.outbox.sent(row, NOW)
    assert ledger.expiry.expire(NOW - timedelta(days=90), NOW - timedelta(days=90)).answers == 1
    assert ledger.answers.steps("a1") == [] and len(ledger.answers.steps("a2")) == 1


def test_a_purge_leaves_no_trace_of_its_document(ledger: Ledger) -> None:
    made_from = answered(ledger, 1, step(1, "gone"))
    other = answered(ledger, 2, step(1, "gone", "kept", path="board/pay.md"), step(2, "kept", path="open"))
    opened = {**step(3), "tool": "open", "args": {"chunk": "gone", "document": "docs:board/pay.md", "section": "0"}}
    third = answered(ledger, 3, opened)
    ledger.erasure.erase(Target([("docs", "board/pay.md")], ["gone"], lambda data: False), [made_from], ())
    assert ledger.answers.steps(made_from) == []
    first, second = ledger.answers.steps(other)
    assert first["found"] == [["kept", 0.5]]
    assert first["args"] == {"query": "0" * 16, "words_of": ["kept"], "purged": True}
    assert second == step(2, "kept", path="open") and ledger.answers.steps(third)[0]["args"] == {"purged": True}
    left = json.dumps([one.decode() for one in ledger.erasure.values()])
    assert "gone" not in left and "pay.md" not in left


@pytest.mark.parametrize("wide", ["**", "**/*", "*/*.md", "**/*.md"])
def test_a_purge_leaves_patterns_that_hold_nothing_of_a_name(ledger: Ledger, wide: str) -> None:
    told = [{"tool": "rag", "query": "a", "path": wide}]
    here = answered(ledger, 1, step(1, path=wide), told=told)
    ledger.erasure.erase(Target([("docs", "board/pay.md")], ["gone"], lambda data: False), [], ())
    assert ledger.answers.steps(here) == [step(1, path=wide)] and ledger.answers.get(here)["steps"] == told


PATTERNS = ["board/pay.md", "board/p*.md", "**/pay.md", "board", "*/p*", "?????/???.md", "**/*y.md"]


@pytest.mark.parametrize("named", PATTERNS)
@pytest.mark.parametrize("kept_as", ["it is", "a hash"])
def test_a_purge_leaves_no_pattern_of_its_path_and_marks_the_step(ledger: Ledger, named: str, kept_as: str) -> None:
    told = [{"tool": "rag", "query": "a", "path": named}, {"tool": "rag", "query": "b", "path": "other/*.md"},
            {"tool": "open", "query": "", "opened": "docs:board/pay.md", "section": "Pay"}]
    opened = {**step(3), "tool": "open", "args": {"document": "docs:board/pay.md", "section": "0"}}
    here = answered(ledger, 1, step(1, path=named if kept_as == "it is" else "0" * 16), step(2, path="1" * 16), opened,
                    told=told)
    ledger.erasure.erase(Target([("docs", "board/pay.md")], ["gone"], lambda data: False), [], ())
    first, second, third = ledger.answers.steps(here)
    assert first["args"].keys() == {"query", "words_of", "purged"} and third["args"] == {"purged": True}
    assert second == step(2, path="1" * 16)
    assert ledger.answers.get(here)["steps"] == [
        {"tool": "rag", "query": "a"}, told[1], {"tool": "open", "query": ""}]
