"""A rollback killed at its file operations: the pointer and the hold must have moved together."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.index.publish_scene import make_base
from faults.traced import KILL, operations, run_with_fault
from two_world.worlds import ANALYSER

from indexers.publishing.index_store import IndexStore
from vouch.adapters.ledger import open_ledger
from vouch.adapters.ledger.documents.versions import put_hold
from vouch.ports.stores import Restored


@dataclass(frozen=True)
class Row:
    happened: bool
    problem: str


def disturbed_rollbacks(folder: Path, every: int, planted: bool = False) -> list[Row]:
    """A rollback from version 2 to version 1 killed at every `every`-th operation."""
    base = folder / "base"
    make_base(base)
    counted = Path(shutil.copytree(base, folder / "counted"))
    found = operations(lambda: roll_back(counted, planted), KILL, folder)
    rows = []
    for call, at in found[::-1][::every]:
        home = Path(shutil.copytree(base, Path(tempfile.mkdtemp(dir=folder)) / "home"))
        ended = run_with_fault(lambda home=home: roll_back(home, planted), KILL, call, at, home.parent)  # type: ignore[misc]
        rows.append(_look(home, ended.crash))
        shutil.rmtree(home.parent)
    return rows


def roll_back(home: Path, planted: bool) -> None:
    ledger = open_ledger(home / "ledger.sqlite")
    if planted:
        versions: Any = ledger.versions

        def pointer_first(expected: int | None, new: int, restored: Restored) -> None:
            versions.swap(expected, new)
            with ledger._database.write() as connection:
                put_hold(connection, new, restored.content_of)

        versions.roll_back = pointer_first
    IndexStore(home, ledger.versions, ANALYSER, 8.0).rollback(1)
    ledger.close()


def _look(home: Path, crash: str) -> Row:
    ledger = open_ledger(home / "ledger.sqlite")
    current, hold = ledger.versions.current(), ledger.holds.current()
    sound = IndexStore(home, ledger.versions, ANALYSER, 8.0).verify(current or 0) == []
    ledger.close()
    together = hold is None if current == 2 else hold is not None and (hold.version, hold.content_of) == (current, 1)
    problem = crash or ("" if together and sound else f"version {current} is current, the hold is {hold}, {sound=}")
    return Row(current != 2, problem)
