"""A damaged row among the answers that a shadow is compared by keeps no model in its place."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from homes.ingest_bench import Bench
from learning_scene.answered_ledger import answered
from learning_scene.labeled_scene import rows_of
from learning_scene.registry_rows import NOW, fusion_row, promote

from flows.shared.shadows import Shadows
from services.models.registry import ModelService

LATER = NOW + timedelta(hours=2)


@pytest.fixture
def served(bench: Bench) -> Iterator[tuple[ModelService, str]]:
    """A model serves, another one shadows it, and two answers were made since."""
    models = bench.ledger.models
    promote(bench.ledger, fusion_row())
    shadow = fusion_row(bm25_share=0.5)
    models.add(shadow)
    models.shadow("fusion", shadow.name, expected=models.pointer("fusion").moves, at=NOW)
    for name in ("x1", "x2"):
        rows = rows_of(f"And now {name}?", random.Random(1), "lexical")
        answered(bench, name, f"And now {name}?", rows, NOW + timedelta(hours=1), "user:a@acme.test", "public",
                 fusion_row().name)
    fits = cast(Any, SimpleNamespace(unusable=lambda name: "", apart=lambda names: ""))
    yield ModelService(bench.ledger, lambda row: "", fits, cast(Any, None), cast(Any, None), {},
                       Shadows(bench.ledger, 3, 24.0, lambda: LATER), cast(Any, None), cast(Any, None),
                       lambda: LATER), shadow.name


@pytest.mark.parametrize("features", ["{}", "{", "null", "[]", '{"bm25_share": 1.0}'])
def test_it_goes_back_all_the_same(bench: Bench, served: tuple[ModelService, str], features: str) -> None:
    service, shadow = served
    with closing(sqlite3.connect(bench.home / "ledger.sqlite")) as connection, connection:
        connection.execute("update candidates set features = ? where id = (select min(id) from candidates)",
                           [features])
    assert service.show(shadow)["shadow"]["answers"] == 1           # the other one is compared
    [pointer] = service.rollback("fusion", "me")
    assert pointer.model is None
    assert service.stop_shadow() == shadow
    assert [one["answers"] for one in service.show(shadow)["shadows"]] == [1, 0]
