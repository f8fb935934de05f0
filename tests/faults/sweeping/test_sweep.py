"""Sweeps beside everybody who publishes, rolls back and reads; and killed at each of their file operations."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faults.sweeping.sweep_moves import Moves
from faults.sweeping.sweep_plants import PLANTS
from faults.traced import MISSING
from running.script_run import run_script
from running.soak_table import Figures

import indexers.publishing.sweep

needs_strace = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def played(home: Path, seed: int, steps: int) -> Moves:
    home.mkdir()
    moves = Moves(home, random.Random(seed))
    try:
        moves.play(steps)
    finally:
        moves.close()
    print(f"\nseed {seed}, {steps} moves: {moves.counts}")
    return moves


def test_whatever_is_referred_to_or_open_stays_and_all_else_goes(memory_folder: Path) -> None:
    seed = random.randrange(10**6)
    moves = played(memory_folder / "home", seed, 50)
    assert moves.problems == [], seed
    assert min(moves.counts["retired"], moves.counts["deleted"]) > 3


@pytest.mark.soak
def test_whatever_is_referred_to_or_open_stays_and_all_else_goes_for_long(
    memory_folder: Path, figures: Figures
) -> None:
    total: Counter[str] = Counter()
    for seed in range(50):
        moves = played(memory_folder / str(seed), seed, 120)
        assert moves.problems == [], seed
        total.update(moves.counts)
    figures("publishes, rollbacks, opens, kills and sweeps in random order", "50 runs of 120 moves",
            f"0 files gone that are needed, 0 orphans; {dict(total)}")


@pytest.mark.parametrize("plant", ["ignores-pins", "ignores-publishes"])
def test_the_moves_find_a_planted_bug(memory_folder: Path, plant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("unpinned", "nobody_publishes"):           # so that they come back
        monkeypatch.setattr(indexers.publishing.sweep, name, getattr(indexers.publishing.sweep, name))
    PLANTS[plant]()
    assert any(played(memory_folder / str(seed), seed, 60).problems for seed in range(3))


def disturbed(folder: Path, fault: str, every: int, plant: str = "") -> list[dict[str, Any]]:
    """One row per file operation that was hit."""
    script = Path(__file__).with_name("sweep_faults.py")
    rows = run_script(script, folder, fault, every, *([plant] if plant else []), timeout_s=900)
    print(f"\nsweep, {fault}: {len(rows)} operations hit: {dict(Counter(row['call'] for row in rows))}")
    return rows


@needs_strace
def test_a_sweep_killed_at_some_operations_loses_nothing_and_the_next_finishes(memory_folder: Path) -> None:
    rows = disturbed(memory_folder, "killed", 15)
    assert all(row["hit"] for row in rows) and len(rows) > 8
    assert [row for row in rows if row["problems"]] == []


@needs_strace
@pytest.mark.soak
@pytest.mark.parametrize("fault", ["killed", "EIO"])
def test_a_sweep_disturbed_at_every_operation_loses_nothing_and_the_next_finishes(
    memory_folder: Path, fault: str, figures: Figures
) -> None:
    rows = disturbed(memory_folder, fault, 1)
    figures(f"a sweep, {fault} at each of its file operations", f"{len(rows)} operations",
            f"{sum(bool(row['problems']) for row in rows)} left something wrong")
    assert all(row["hit"] for row in rows)
    assert [row for row in rows if row["problems"]] == []
    assert {"openat", "unlinkat", "rmdir", "fsync"} <= {row["call"] for row in rows}


@needs_strace
def test_kills_find_a_planted_bug(memory_folder: Path) -> None:
    assert any(row["problems"] for row in disturbed(memory_folder, "killed", 25, "deletes-before-it-retires"))
