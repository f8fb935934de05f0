"""A home with two versions on a real ledger, an edit to publish, and everything that must hold after a fault."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from two_world.observing import observe
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, NOW, PERMISSIONS, Batch, Pair, Paper, World, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.errors import Damaged, VouchError

PAPERS = [Paper(f"open/{n}.md", (("Rules", (f"travel {n}", "budget leave")),)) for n in range(6)]
PAIR = Pair(("public",), "travel 5 budget", (Batch(),), (Batch(),))
Plant = Callable[[World], None]


@dataclass
class Scene:
    """One home as one process has it open."""

    world: World
    ledger: Ledger

    def edit(self) -> None:
        """A publish that changes, moves, adds and removes documents and merges segments. Raises Damaged."""
        base = self.world.store.open_current()
        if base is None or base.number != self.world.store.versions.current():
            raise Damaged("an earlier version stands in: a run would plan its changes anew")
        changed = Paper("open/1.md", (("Rules", ("travel 1", "budget edited", "badge")),))
        vectors = MemoryVectors(self.world.encoder)
        publish(self.world.store, vectors, [changed.record, PAPERS[5].record], {"open/5.md": "open/4.md"},
                ["open/0.md"], base=base)

    def seen(self) -> dict[str, Any]:
        return observe(self.world, PAIR)

    def close(self) -> None:
        self.ledger.close()


def open_scene(home: Path, plant: Plant | None = None, url: str = "") -> Scene:
    """`url` is the ledger's; it lies in the home without one."""
    ledger = open_ledger(url or home / "ledger.sqlite")
    store = IndexStore(home, ledger.versions, ANALYSER, 8.0)
    held = FixedPermissions(PERMISSIONS)
    world = World(store, LiveIndex(store, held, lambda: NOW), HashEncoder(), held)
    if plant:
        plant(world)
    return Scene(world, ledger)


def make_base(home: Path, url: str = "") -> None:
    """A home with two versions, which nobody has open."""
    home.mkdir()
    scene = open_scene(home, url=url)
    vectors = MemoryVectors(scene.world.encoder)
    publish(scene.world.store, vectors, [p.record for p in PAPERS[:3]])
    publish(scene.world.store, vectors, [p.record for p in PAPERS[3:5]])
    scene.close()


def wrong_after(home: Path, before: dict[str, Any], after: dict[str, Any], url: str = "") -> list[str]:
    """What does not hold of a home in which an edit was disturbed; then the edit is finished and swept."""
    scene = open_scene(home, url=url)
    try:
        return [*_wrong_at_once(scene, before, after), *_wrong_later(scene, home, after)]
    except VouchError as error:
        return [f"{type(error).__name__}: {error}"]
    finally:
        scene.close()


def _wrong_at_once(scene: Scene, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    store = scene.world.store
    current = store.versions.current()
    assert current is not None
    problems = [f"damaged: {told}" for told in store.verify(current)]
    served = scene.world.index.version().number
    if served != current:
        problems.append(f"version {served} is served, {current} is current")
    if scene.seen() != (before if current == 2 else after):
        problems.append("readers see neither the old version nor the new one")
    return problems


def _wrong_later(scene: Scene, home: Path, after: dict[str, Any]) -> list[str]:
    problems = []
    store = scene.world.store
    if store.versions.current() == 2:
        scene.edit()
        if scene.seen() != after:
            problems.append("the next run did not bring what this one should have")
    store.sweep()
    current = store.versions.current()
    assert current is not None
    problems += [f"after the sweep: {told}" for told in store.verify(current)]
    return problems + [f"orphan: {name}" for name in orphans(scene, home)]


def orphans(scene: Scene, home: Path) -> list[str]:
    """Folders and temporary files of the index that no published version names."""
    manifests = [scene.world.store.manifest(row.number) for row in scene.world.store.versions.rows()
                 if row.state == "published"]
    named = {f"segments/{entry.id}" for m in manifests for entry in m.segments}
    named |= {f"parts/{entry.id}" for m in manifests for entry in m.parts}
    named |= {f"versions/{m.version}" for m in manifests}
    there = {f"{kind}/{path.name}" for kind in ("segments", "parts", "versions") for path in (home / kind).iterdir()}
    stray = {str(path.relative_to(home)) for path in home.rglob("*.tmp")}
    return sorted((there - named) | stray)
