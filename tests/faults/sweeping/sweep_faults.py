"""Run by test_sweep.py: disturbs a sweep at every file operation and looks at what is left.

    OMP_NUM_THREADS=1 PYTHONPATH=tests:. python tests/faults/sweeping/sweep_faults.py FOLDER FAULT EVERY [PLANT]

FAULT is killed or EIO; EVERY 1 tries each operation, 7 every seventh. Prints
one JSON object per operation tried.
"""

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from faults.sweeping.sweep_moves import Moves
from faults.sweeping.sweep_oracle import Oracle
from faults.sweeping.sweep_plants import PLANTS
from faults.traced import IO_ERROR, KILL, WRITES, Fault, operations, run_with_fault
from two_world.worlds import ANALYSER

from indexers.publishing.index_store import IndexStore, Keep
from vouch.adapters.ledger import open_ledger
from vouch.errors import VouchError

FAULTS = {"killed": KILL, "EIO": Fault("EIO", WRITES, IO_ERROR.inject)}
OPEN = {2}                              # versions that this process has open during each sweep
KEEP = 1


def make_base(home: Path) -> Oracle:
    """Versions, leftovers of publishes that failed and died, a rollback; nobody has any of them open."""
    home.mkdir()
    moves = Moves(home, random.Random(7))
    for move in (moves.publish, moves.publish, moves.publish_and_die, moves.publish, moves.publish_too_late,
                 moves.roll_back, moves.publish):
        move()
    assert not moves.problems
    moves.close()
    return moves.oracle


def sweep(home: Path) -> None:
    ledger = open_ledger(home / "ledger.sqlite")
    try:
        IndexStore(home, ledger.versions, ANALYSER, 8.0, Keep(KEEP, 0)).sweep()
    finally:
        ledger.close()


def wrong_after(oracle: Oracle) -> Iterator[str]:
    """What does not hold after a sweep that was disturbed; then a whole one must finish."""
    yield from oracle.not_whole(OPEN)
    due = [number for number in oracle.due(KEEP) if number not in OPEN]
    swept = oracle.store(KEEP).sweep()
    if list(swept.retired) != due:
        yield f"the next sweep retired {swept.retired} instead of {due}"
    yield from oracle.not_whole(OPEN)
    yield from oracle.not_swept(OPEN)


def disturbed(base: Oracle, folder: Path, fault: Fault, call: str, at: int) -> dict[str, object]:
    home = Path(tempfile.mkdtemp(dir=folder)) / "home"
    shutil.copytree(base.home, home)
    oracle = base.at(home)
    opened = [oracle.store(KEEP).open(number) for number in OPEN]
    ended = run_with_fault(lambda: sweep(home), fault, call, at, home.parent)
    problems = [ended.crash] if ended.crash else []
    try:
        problems += wrong_after(oracle)
    except VouchError as error:
        problems.append(f"{type(error).__name__}: {error}")
    del opened
    oracle.ledger.close()
    shutil.rmtree(home.parent)
    return {"call": call, "at": at, "hit": ended.hit, "told": ended.told, "problems": problems}


def main(folder: Path, fault: Fault, every: int) -> None:
    base = make_base(folder / "base")
    counted = folder / "counted"
    shutil.copytree(base.home, counted)
    opened = [base.at(counted).store(KEEP).open(number) for number in OPEN]
    found = operations(lambda: sweep(counted), fault, folder)
    del opened
    for call, at in found[::every]:
        print(json.dumps(disturbed(base, folder, fault, call, at)))


if __name__ == "__main__":
    if len(sys.argv) > 4:
        PLANTS[sys.argv[4]]()
    main(Path(sys.argv[1]), FAULTS[sys.argv[2]], int(sys.argv[3]))
