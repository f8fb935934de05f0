"""Run by test_crashes.py: kills a publish at its first durable step, its second and so on, and looks at what is left.

    OMP_NUM_THREADS=1 PYTHONPATH=tests:. python tests/indexers/publishing/kill_publish.py FOLDER

Forks instead of starting Python anew for every step. Prints JSON: per step
the version that was current afterwards, and what was wrong (nothing).
"""

import itertools
import json
import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any

from running.forked import DIED, dying, ended, fork
from two_world.observing import observe
from two_world.stand_ins import FileVersions, FixedPermissions, HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, NOW, PERMISSIONS, Batch, Pair, Paper, World, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore

PAPERS = [Paper(f"open/{n}.md", (("Rules", (f"travel {n}", "budget leave")),)) for n in range(6)]
PAIR = Pair(("public",), "travel 5 budget", (Batch(),), (Batch(),))


def world(home: Path) -> World:
    store = IndexStore(home, FileVersions(home / "pointer"), ANALYSER, 8.0)
    held = FixedPermissions(PERMISSIONS)
    return World(store, LiveIndex(store, held, lambda: NOW), HashEncoder(), held)


def edit(at: World) -> None:
    changed = Paper("open/1.md", (("Rules", ("travel 1", "budget edited", "badge")),))
    records = [changed.record, PAPERS[5].record]
    publish(at.store, MemoryVectors(at.encoder), records, {"open/5.md": "open/4.md"}, ["open/0.md"])


def edit_and_die(step: int, home: Path) -> None:
    at = world(home)
    wrap = dying(step)
    os.fsync, os.replace = wrap(os.fsync), wrap(os.replace)
    swap = wrap(at.store.versions.swap)

    def swap_and_step(expected: int | None, new: int) -> None:
        swap(expected, new)
        os.fsync(os.open(home, os.O_RDONLY))                # a step behind the swap

    at.store.versions.swap = swap_and_step  # type: ignore[method-assign]
    edit(at)


def killed_at(step: int, home: Path) -> bool:
    """Whether the publish died at `step`; False once it has fewer steps."""
    return ended(fork(partial(edit_and_die, step, home))) == DIED


def wrong_with(home: Path, expected: dict[int, Any]) -> tuple[int, list[str]]:
    at = world(home)
    current = at.store.versions.current()
    problems = list(at.store.verify(current))
    if observe(at, PAIR) != expected[2 if current == 2 else 3]:
        problems.append("what readers see is neither the old nor the new version")
    if current == 2:
        edit(at)                                            # the next run does the work again
        if observe(at, PAIR) != expected[3]:
            problems.append("the publish after the kill differs")
    at.store.sweep()
    if at.store.verify(at.store.versions.current()):
        problems.append("the sweep deleted something needed")
    return current, problems


def main(folder: Path) -> None:
    base = folder / "base"
    base.mkdir()
    first = world(base)
    vectors = MemoryVectors(first.encoder)
    publish(first.store, vectors, [p.record for p in PAPERS[:3]])
    publish(first.store, vectors, [p.record for p in PAPERS[3:5]])
    expected = {2: observe(world(base), PAIR)}
    shutil.copytree(base, folder / "done")
    edit(world(folder / "done"))
    expected[3] = observe(world(folder / "done"), PAIR)
    found = []
    for step in itertools.count(1):
        home = folder / f"step{step}"
        shutil.copytree(base, home)
        died = killed_at(step, home)
        current, problems = wrong_with(home, expected)
        found.append({"step": step, "current": current, "problems": problems})
        if not died:
            break
    print(json.dumps({"steps": found, "differ": expected[2] != expected[3]}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
