"""A damaged row among the pointers or the moves stops nobody who asks."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from learning_scene.registry_rows import NOW, Clock, fusion_row, promote

from composition.model_registry.registry import LOOK_S, Registry
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.model_rows import LONG_AGO
from vouch.errors import Damaged
from vouch.settings import Settings


@pytest.fixture
def name(ledger: Ledger) -> str:
    """The model that serves while another one shadows."""
    shadow = fusion_row(bm25_share=0.5)
    ledger.models.add(shadow)
    ledger.models.shadow("fusion", shadow.name, expected=0, at=NOW)
    return promote(ledger, fusion_row())


def damage(folder: Path, change: str) -> None:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection, connection:
        connection.execute(change)


def test_a_shadow_whose_beginning_cannot_be_read_is_none(
    ledger: Ledger, registry: Registry, name: str, memory_folder: Path
) -> None:
    damage(memory_folder, "update model_pointers set shadow_since = 'garbage'")
    assert registry().fusion.name == name
    pointer = ledger.models.pointers()["fusion"]
    assert (pointer.model, pointer.shadow, pointer.shadow_since) == (name, None, None)
    ledger.models.move("fusion", None, expected=pointer.moves, reason="back", by="me", at=NOW)
    assert ledger.models.pointer("fusion").model is None


@pytest.mark.parametrize("column", ["moves = 'abc'", "model = x'fffe'"])
def test_what_is_known_serves_on_beside_a_pointer_that_cannot_be_read(
    ledger: Ledger, registry: Registry, clock: Clock, name: str, memory_folder: Path, column: str
) -> None:
    assert registry().fusion.name == name
    damage(memory_folder, f"update model_pointers set {column}")
    clock.now += LOOK_S
    assert registry().fusion.name == name
    with pytest.raises(Damaged, match="which fusion serves cannot be read"):
        Registry(Settings(), ledger.models, clock)()


def test_a_kind_that_nobody_knows_is_nothing(ledger: Ledger, registry: Registry, name: str, memory_folder: Path
                                             ) -> None:
    damage(memory_folder, "insert into model_pointers values ('weird', null, null, 'x', 'y')")
    assert registry().fusion.name == name and set(ledger.models.pointers()) == {"fusion"}


def test_a_move_whose_moment_cannot_be_read_still_leads_back(ledger: Ledger, name: str, memory_folder: Path) -> None:
    promote(ledger, fusion_row(bm25_share=0.25))
    damage(memory_folder, "update model_moves set at = 'garbage' where id = (select min(id) from model_moves)")
    assert ledger.models.former("fusion") == name
    assert [move.at for move in ledger.models.moves()] == [LONG_AGO, NOW]
