"""Who may see an answer, and who may ask, decided with plain values."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from services.answering.askers import QuestionIds
from services.answering.questions import QuestionService
from vouch.access import Directory, Permissions, Person
from vouch.errors import Guarded, NotFound
from vouch.messages import ConversationAudience, TagsAudience
from vouch.ports.index import Readable

VIEW: Any = SimpleNamespace(passages=lambda ids: [])
NOW, ANA = datetime(2026, 1, 5, tzinfo=UTC), "user:ana"


def service(
    row: Any = None, *, answered: bool = False, wait: timedelta | None = None
) -> tuple[QuestionService, list[Any]]:
    """And what it sends. `row` is the answer that was sent, `wait` what remains until the asker may ask again."""
    sent: list[Any] = []
    ledger: Any = SimpleNamespace(
        sent=SimpleNamespace(find=lambda named: row), pace=SimpleNamespace(wait=lambda asker, now, most: wait),
        answers=SimpleNamespace(answered=lambda question: answered, by_question=lambda question: None),
    )
    permissions: Any = SimpleNamespace(permissions=lambda: Permissions.settled(1, {}, Directory()))
    index: Any = SimpleNamespace(
        visible_to=lambda readers, ids: Readable(set(ids), Directory({"ana": Person(())}).audience(readers, NOW), VIEW),
        has_version=lambda: True)
    producer: Any = SimpleNamespace(send=lambda *message: sent.append(message))
    return QuestionService(
        ledger, permissions, index, producer, QuestionIds(b"key"), "http", lambda: NOW, timedelta(seconds=60), 1,
    ), sent


def test_an_answer_of_a_conversation_is_read_there_alone() -> None:
    question = SimpleNamespace(asker="user:eve", audience=ConversationAudience(surface="slack", conversation="T1/C1"))
    row = SimpleNamespace(question=question, given=(), body={"id": "a"})
    with pytest.raises(NotFound):
        service(row)[0].look("a", ANA)
    row.question = SimpleNamespace(asker=ANA, audience=TagsAudience(tags=(ANA,)))
    assert service(row)[0].look("a", ANA) == {"id": "a"}
    with pytest.raises(NotFound):
        service(row)[0].look("a", "user:ben")


def test_whom_an_answer_was_made_for_is_told_to_nobody_else() -> None:
    question = SimpleNamespace(asker=ANA, audience=TagsAudience(tags=(ANA, "user:cleo")))
    made, _ = service(SimpleNamespace(question=question, given=(), body={"id": "a"}))
    assert [made.made_for("a", who) for who in (ANA, "user:cleo")] == [[ANA, "user:cleo"]] * 2
    assert made.made_for("a", "user:ben") == []
    assert service()[0].made_for("b", ANA) == []


def test_an_answer_that_was_deleted_is_not_awaited() -> None:
    made, _ = service(answered=True)
    mine = made.ids.new(ANA, "Who?", [ANA])
    with pytest.raises(NotFound):
        made.look(mine, ANA)
    assert service()[0].look(mine, ANA) is None


def test_who_asks_too_fast_is_refused_and_nothing_is_sent() -> None:
    made, sent = service(wait=timedelta(seconds=5))
    with pytest.raises(Guarded, match="within a minute"):
        made.ask("Who?", [ANA])
    assert sent == []
    made, sent = service()
    made.ask("Who?", [ANA])
    assert len(sent) == 1
