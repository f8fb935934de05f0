"""What the ledger holds is data to distrust: what cannot be used gives way, and the reason is logged once."""

import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from learning_scene.registry_rows import Clock, evaluator_row, fusion_row, names, promote, with_body

from composition.model_registry.registered import registered_fusion
from composition.model_registry.registry import LOOK_S, Registry
from vouch.adapters.ledger import Ledger
from vouch.errors import BadInput, Usage
from vouch.settings import Settings
from vouch.settings.models import FusionSettings

TERM = {"mean": 0.1, "scale": 0.5, "weight": 1.0}
WRONG: dict[str, dict[str, Any]] = {
    "another schema": {"feature_schema": 1},
    "an unknown feature": {"terms": {"secret": TERM}},
    "a weight out of bounds": {"terms": {"bm25_share": TERM | {"weight": 4.1}}},
    "no number": {"terms": {"bm25_share": TERM | {"mean": float("nan")}}},
    "another field": {"code": "import os"},
    "another encoder": {"fingerprints": {"weights": "other"}},
    "refused": {"refused": "it loses"},
    "other weights than its name says": {"terms": {"bm25_share": TERM | {"weight": 0.5}}},
    "nothing": {"terms": {}},
    "too large": {"data": ["x" * 1_000_001]},
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_what_the_ledger_holds_is_distrusted_like_a_file(
    registry: Registry, ledger: Ledger, clock: Clock, change: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    name = promote(ledger, with_body(fusion_row(), **change))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert registry().fusion.name == f"reciprocal ranks (the registered model {name} cannot be used)"
            clock.now += LOOK_S
    assert len(caplog.records) == 1
    with pytest.raises((BadInput, Usage)):
        registered_fusion(Settings(), ledger.models.get(name))


@pytest.mark.parametrize("state", ["refused", "retired"])
def test_a_row_that_must_not_serve_does_not_although_the_pointer_names_it(
    registry: Registry, ledger: Ledger, memory_folder: Path, state: str
) -> None:
    """As after a restored ledger, or by a hand in it: what moves the pointer would have refused it."""
    name = promote(ledger, fusion_row())
    with closing(sqlite3.connect(memory_folder / "ledger.sqlite")) as connection, connection:
        connection.execute("update models set state = ? where name = ?", [state, name])
    assert registry().fusion.name == f"reciprocal ranks (the registered model {name} cannot be used)"
    with pytest.raises(Usage, match=f"is {state}"):
        registered_fusion(Settings(), ledger.models.get(name))


def test_a_pipe_is_no_model_and_keeps_nobody_waiting(ledger: Ledger, clock: Clock, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.json")
    registry = Registry(Settings(fusion=FusionSettings(model=str(tmp_path / "m.json"))), ledger.models, clock)
    assert registry().fusion.name == "reciprocal ranks (the learned fusion of the settings cannot be used)"


def test_a_file_that_cannot_be_used_is_told_once_whatever_else_moves(
    ledger: Ledger, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    registry = Registry(Settings(fusion=FusionSettings(model="/nothing.json")), ledger.models, clock)
    with caplog.at_level(logging.WARNING):
        registry()
        judge = promote(ledger, evaluator_row())
        clock.now += LOOK_S
        fusion, judged_by = names(registry())
    assert judged_by == judge and fusion == "reciprocal ranks (the learned fusion of the settings cannot be used)"
    assert len(caplog.records) == 1 and "/nothing.json cannot be read" in caplog.text


def test_an_evaluator_that_cannot_be_used_gives_way_to_the_one_that_comes_along(
    registry: Registry, ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    name = promote(ledger, with_body(evaluator_row(), fingerprints={"weights": "other"}))
    with caplog.at_level(logging.WARNING):
        judge = registry().judge()
    assert judge.name == f"{judge.evaluator.fingerprint} (the registered model {name} cannot be used)"
    assert "another encoder" in caplog.text and len(caplog.records) == 1
