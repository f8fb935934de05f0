"""A model that could not be loaded for a moment serves once it can be."""

import logging
from typing import Any

import pytest
from learning_scene.registry_rows import Clock, evaluator_row, fusion_row, names, promote

from composition.model_registry import registry as registry_module
from composition.model_registry import scorers
from composition.model_registry.registered import RETRY_S
from composition.model_registry.registry import LOOK_S, Registry
from vouch.adapters.ledger import Ledger, RegisteredModel
from vouch.errors import LedgerDown, ModelDown
from vouch.settings import Settings

PLACES: Any = {"fusion": registry_module, "evaluator": scorers}


@pytest.mark.parametrize("kind", ["fusion", "evaluator"])
def test_a_model_whose_load_fails_for_a_moment_serves_a_minute_later(
    registry: Registry, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:  # fmt: skip
    load, causes = getattr(PLACES[kind], f"registered_{kind}"), ["no memory", "no memory", "no file", "no memory"]

    def fails_at_first(settings: Settings, row: RegisteredModel, *more: str) -> Any:
        if causes:
            raise ModelDown(causes.pop(0))
        return load(settings, row, *more)

    monkeypatch.setattr(PLACES[kind], f"registered_{kind}", fails_at_first)
    name = promote(ledger, fusion_row() if kind == "fusion" else evaluator_row())
    with caplog.at_level(logging.WARNING):
        fallen = registry()
        for left in (3, 2, 1, 0):
            for _ in range(int(RETRY_S / LOOK_S)):
                assert registry() is fallen and len(causes) == left
                clock.now += LOOK_S
    assert name in " ".join(names(fallen)) and name not in names(fallen)
    served = registry()
    assert name in names(served) and served is not fallen
    clock.now += 2 * RETRY_S
    assert registry() is served, "what was loaded is not loaded again"
    assert [record.getMessage().rpartition(": ")[2] for record in caplog.records] == ["no memory", "no file"]


def test_a_ledger_that_is_down_at_the_second_try_is_asked_again(
    registry: Registry, ledger: Ledger, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fusion comes back while the evaluator's row cannot be read: both serve as soon as it can."""
    def fails(*_: object) -> Any:
        raise ModelDown("no memory")

    both = promote(ledger, fusion_row()), promote(ledger, evaluator_row())
    with monkeypatch.context() as patch:
        for kind in ("fusion", "evaluator"):
            patch.setattr(PLACES[kind], f"registered_{kind}", fails)
        fallen = registry()
    get = type(ledger.models).get

    def half(store: Any, name: str) -> Any:
        if name == both[1]:
            raise LedgerDown("the ledger is down")
        return get(store, name)

    clock.now += RETRY_S
    with monkeypatch.context() as patch:
        patch.setattr(type(ledger.models), "get", half)
        assert registry() is fallen
    clock.now += LOOK_S
    assert names(registry()) == both
