"""Moves of several kinds at once, rows that cannot be read, and the one way into the registry, on each database."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger, Pointer, RegisteredModel
from vouch.adapters.ledger.registry import model_rows
from vouch.adapters.ledger.registry.registration import Made, register
from vouch.errors import Conflict, Damaged, NotFound, Usage

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
DAY = timedelta(days=1)
PRINT = "fusion:1a2b3c4d5e6f"


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def made(judged: bool = False, **more: Any) -> Made:
    fields: dict[str, Any] = {"kind": "fusion", "fingerprint": PRINT, "body": {"weight": 0.1}, "report": {}}
    return Made(**(fields | {"judged": judged} | more))


def added(ledger: Ledger, name: str, kind: str) -> None:
    ledger.models.add(RegisteredModel(name, kind, "candidate", {}, {}, None, NOW))


def move(ledger: Ledger, changes: dict[str, str | None], **expected: int) -> dict[str, Pointer]:
    return ledger.models.move_together(changes, expected=expected, reason="why", by="ana", at=NOW)


def test_two_kinds_move_in_one_act_or_not_at_all(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    added(ledger, "r", "reranker")
    added(ledger, "e", "evaluator")
    both: dict[str, str | None] = {"reranker": "r", "evaluator": "e"}
    for wrong in ({"reranker": 0, "evaluator": 1}, {"reranker": 1, "evaluator": 0}):
        with pytest.raises(Conflict):
            move(ledger, both, **wrong)
    with pytest.raises(NotFound):
        move(ledger, {"reranker": "r", "evaluator": "nothing"}, reranker=0, evaluator=0)
    with pytest.raises(Usage, match="kind evaluator"):
        move(ledger, {"evaluator": "e", "reranker": "e"}, reranker=0, evaluator=0)
    assert ledger.models.pointers() == {} and ledger.models.moves() == []
    assert move(ledger, both, reranker=0, evaluator=0) == ledger.models.pointers()
    assert [(one.kind, one.model) for one in ledger.models.moves()] == [("reranker", "r"), ("evaluator", "e")]
    with pytest.raises(Usage, match="r and e serve already"):
        move(ledger, both, reranker=1, evaluator=1)
    assert move(ledger, {"reranker": None, "evaluator": "e"}, reranker=1, evaluator=1)["evaluator"].moves == 1


def test_one_that_moves_alone_is_stopped_by_a_move_of_the_other(ledger: Ledger) -> None:
    added(ledger, "r", "reranker")
    added(ledger, "e", "evaluator")
    move(ledger, {"evaluator": "e"}, evaluator=0, reranker=0)
    with pytest.raises(Conflict):
        move(ledger, {"reranker": "r"}, reranker=0, evaluator=0)
    assert ledger.models.pointers().keys() == {"evaluator"}


def test_an_act_that_ends_half_way_moves_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    added(ledger, "r", "reranker")
    added(ledger, "e", "evaluator")
    store, seen = model_rows.store_pointer, list[str]()

    def killed(connection: Any, new: Pointer) -> None:
        seen.append(new.kind)
        if len(seen) == 2:
            raise KeyboardInterrupt
        store(connection, new)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(model_rows, "store_pointer", killed)
        move(ledger, {"reranker": "r", "evaluator": "e"}, reranker=0, evaluator=0)
    assert len(seen) == 2 and ledger.models.pointers() == {} and ledger.models.moves() == []


def test_a_row_that_cannot_be_read_can_be_retired_and_is_passed_over(ledger: Ledger) -> None:
    for name in ("a", "b"):
        added(ledger, name, "fusion")
        move(ledger, {"fusion": name}, fusion=ledger.models.pointer("fusion").moves)
    with ledger.models._database.write("models") as connection:
        deep = "[" * 5_000 + "]" * 5_000    # JSON that each database takes, and Python does not
        connection.execute(sqlalchemy.text("UPDATE models SET body = :it WHERE name = 'a'"), {"it": deep})
    with pytest.raises(Damaged) as damaged:
        ledger.models.get("a")
    assert "vouch models retire a" in damaged.value.cure
    assert (ledger.models.head("a").state, ledger.models.former("fusion")) == ("candidate", "a")
    ledger.models.set_state("a", "retired", "by ana")
    assert ledger.models.head("a").state == "retired" and ledger.models.former("fusion") is None


def test_the_same_model_is_registered_once(ledger: Ledger) -> None:
    first, new = register(ledger.models, made(), NOW)
    assert new and (first.name, first.state) == ("fusion-20261123-1a2b3c4d", "candidate")
    assert register(ledger.models, made(), NOW + DAY) == (first, False)
    assert register(ledger.models, made(body={"weight": 0.1, "trained_on": "later"}), NOW + DAY) == (first, False)
    other, new = register(ledger.models, made(True, body={"weight": 0.1, "trained_on": "later"}), NOW)
    assert new and other.name == "fusion-20261123-2-1a2b3c4d", "its gates looked at it anew"


@pytest.mark.parametrize("judged", [False, True])
def test_retired_weights_do_not_come_back_under_another_name(ledger: Ledger, judged: bool) -> None:
    first, _ = register(ledger.models, made(), NOW)
    ledger.models.set_state(first.name, "retired", "by ana")
    told = f"these are the weights of {first.name}, which is retired: by ana"
    again = made(judged, body={"weight": 0.1, "data": ["renamed"]})
    if judged:
        row, _ = register(ledger.models, again, NOW + DAY)
        assert (row.state, row.reason) == ("refused", told)
    else:
        with pytest.raises(Usage, match=told):
            register(ledger.models, again, NOW + DAY)
        assert len(ledger.models.list()) == 1


def test_what_a_gate_refused_may_be_judged_anew_but_not_added(ledger: Ledger) -> None:
    refused = made(True, report={"refused": "too few"}, refused="too few")
    first, _ = register(ledger.models, refused, NOW)
    assert first.state == "refused"
    with pytest.raises(Usage, match=r"refused: too few"):
        register(ledger.models, made(), NOW)
    assert register(ledger.models, made(True), NOW + DAY)[0] == first, "the same body is the same model"
    assert register(ledger.models, made(True, body={"more": 1}), NOW + DAY)[0].state == "candidate"


def test_what_lost_while_it_shadowed_does_not_come_back_by_another_training(ledger: Ledger) -> None:
    first, _ = register(ledger.models, made(True, report={"refused": ""}), NOW)
    ledger.models.shadow("fusion", first.name, expected=0, at=NOW)
    ledger.models.dismiss("fusion", expected=1, reason="it lost", at=NOW)
    row, _ = register(ledger.models, made(True, body={"more": 1}, report={"refused": ""}), NOW + DAY)
    assert row.state == "refused" and row.reason == f"these are the weights of {first.name}, which is refused: it lost"
