"""Run by test_publish_faults.py: disturbs a publish at every file operation and looks at what is left.

    OMP_NUM_THREADS=1 PYTHONPATH=tests:. python tests/faults/index/publish_faults.py FOLDER FAULT EVERY [PLANT]

FAULT is killed, EIO or ENOSPC; EVERY 1 tries each operation, 7 every seventh.
Prints one JSON object per operation tried.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from faults.index.publish_scene import Plant, Scene, make_base, open_scene, wrong_after
from faults.traced import DISK_FULL, IO_ERROR, KILL, Fault, operations, run_with_fault
from two_world.worlds import World

from vouch.ports.stores import VersionRow


def pointer_first(world: World) -> None:
    """Planted: the pointer moves before the files are written."""
    versions: Any = world.store.versions
    allocate, swap = versions.allocate, versions.swap

    def early(parent: int | None) -> VersionRow:
        row: VersionRow = allocate(parent)
        swap(parent, row.number)
        return row

    versions.allocate, versions.swap = early, lambda expected, new: None


def silent_disk(world: World) -> None:
    """Planted: errors of the disk while files are brought to it are taken for success."""
    import indexers.storage

    def settled(handle: int) -> None:
        try:
            sync(handle)
        except OSError:
            return

    sync = os.fsync
    indexers.storage.os.fsync = settled  # type: ignore[attr-defined]


PLANTS: dict[str, Plant] = {"pointer-first": pointer_first, "silent-disk": silent_disk}
FAULTS = {fault.name: fault for fault in (KILL, IO_ERROR, DISK_FULL)}


def main(folder: Path, fault: Fault, every: int, plant: Plant | None) -> None:
    base, done = folder / "base", folder / "done"
    make_base(base)
    before = _seen(base)
    shutil.copytree(base, done)
    _edit(done, None)
    after = _seen(done)
    assert before != after
    for call, at in _operations(base, folder, fault, plant)[::every]:
        home = Path(tempfile.mkdtemp(dir=folder)) / "home"
        shutil.copytree(base, home)
        ended = run_with_fault(lambda home=home: _edit(home, plant), fault, call, at, home.parent)  # type: ignore[misc]
        problems = [ended.crash] if ended.crash else []
        if fault is not KILL and ended.hit and not ended.told and _current(home) == 2:
            problems.append("it failed and nobody was told")
        if fault is not KILL and call == "fsync" and not ended.told:
            problems.append("what did not reach the disk was taken for written")
        problems += wrong_after(home, before, after)
        print(json.dumps({"call": call, "at": at, "hit": ended.hit, "told": ended.told, "problems": problems}))
        shutil.rmtree(home.parent)


def _operations(base: Path, folder: Path, fault: Fault, plant: Plant | None) -> list[tuple[str, int]]:
    home = folder / "counted"
    shutil.copytree(base, home)
    return operations(lambda: _edit(home, plant), fault, folder)


def _edit(home: Path, plant: Plant | None) -> None:
    scene = open_scene(home, plant)
    scene.edit()
    scene.close()


def _seen(home: Path) -> dict[str, Any]:
    scene: Scene = open_scene(home)
    seen = scene.seen()
    scene.close()
    return seen


def _current(home: Path) -> int | None:
    scene = open_scene(home)
    current = scene.world.store.versions.current()
    scene.close()
    return current


if __name__ == "__main__":
    planted = PLANTS[sys.argv[4]] if len(sys.argv) > 4 else None
    main(Path(sys.argv[1]), FAULTS[sys.argv[2]], int(sys.argv[3]), planted)
