"""A process serves what the registry points at, soon after it moves; a ledger that is down changes nothing."""

import threading
from typing import Any

import pytest
from learning_scene.registry_rows import Clock, evaluator_row, fusion_row, names, point, promote

from composition.model_registry.registry import LOOK_S, Registry
from vouch.adapters.ledger import Ledger
from vouch.errors import LedgerDown
from vouch.retrieval.fusion import ReciprocalRanks


def test_with_nothing_registered_all_is_as_without_a_registry(registry: Registry) -> None:
    fusion, judge = names(registry())
    assert registry().fusion == ReciprocalRanks() and fusion == "reciprocal ranks"
    assert judge == registry().judge().evaluator.fingerprint and judge.startswith("evaluator:")


def test_a_promotion_and_a_rollback_are_taken_within_two_seconds(
    registry: Registry, ledger: Ledger, clock: Clock
) -> None:
    before = registry()
    name, judge = promote(ledger, fusion_row()), promote(ledger, evaluator_row())
    clock.now += LOOK_S - 0.01
    assert registry() is before
    clock.now += 0.01
    assert names(registry()) == (name, judge) and registry().judge().evaluator.thresholds[0] == 0.1
    assert names(before)[0] == "reciprocal ranks", "an answer that began before keeps its set"
    point(ledger, "fusion", None)
    clock.now += LOOK_S
    assert names(registry()) == ("reciprocal ranks", judge)


def test_what_did_not_change_is_not_made_again_and_a_look_is_one_read(
    registry: Registry, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    promote(ledger, fusion_row())
    kept, asked = registry(), list[str]()
    monkeypatch.setattr(type(ledger.models), "get", lambda store, name: asked.append(name))
    for _ in range(3):
        clock.now += LOOK_S
        assert registry() is kept
    assert asked == []


def test_a_ledger_that_is_down_changes_nothing_that_is_served(
    registry: Registry, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = promote(ledger, fusion_row())
    kept = registry()

    def down(*_: object) -> Any:
        raise LedgerDown("the ledger is down")

    with monkeypatch.context() as patch:
        patch.setattr(type(ledger.models), "pointers", down)
        clock.now += LOOK_S
        assert registry() is kept
    other = promote(ledger, fusion_row(sem_rrf=1.0))
    with monkeypatch.context() as patch:        # seen to have moved, and gone before it could be read
        patch.setattr(type(ledger.models), "get", down)
        clock.now += LOOK_S
        assert registry() is kept and names(kept)[0] == name
    clock.now += LOOK_S
    assert names(registry())[0] == other


def test_who_knows_nothing_yet_is_told_that_the_ledger_is_down(
    registry: Registry, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> Any:
        raise LedgerDown("the ledger is down")

    with monkeypatch.context() as patch:
        patch.setattr(type(ledger.models), "pointers", down)
        with pytest.raises(LedgerDown):
            registry()
    assert names(registry())[0] == "reciprocal ranks"


def test_while_one_looks_the_others_go_on(registry: Registry, ledger: Ledger, clock: Clock,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    kept, begun, go_on = registry(), threading.Event(), threading.Event()
    pointers = ledger.models.pointers

    def slow(*_: object) -> Any:
        begun.set()
        assert go_on.wait(10)
        return pointers()

    monkeypatch.setattr(registry, "store", type("Slow", (), {"pointers": slow})())
    clock.now += LOOK_S
    looking = threading.Thread(target=registry)
    looking.start()
    assert begun.wait(10)
    assert registry() is kept
    go_on.set()
    looking.join()
