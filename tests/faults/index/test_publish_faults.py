"""A publish killed, or refused by the disk, at each of its file operations; and readers beside two hundred of them."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faults.traced import MISSING
from running.script_run import run_script
from running.soak_table import Figures

needs_strace = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def disturbed(folder: Path, fault: str, every: int, plant: str = "") -> list[dict[str, Any]]:
    """One row per file operation that was hit."""
    script = Path(__file__).with_name("publish_faults.py")
    return run_script(script, folder, fault, every, *([plant] if plant else []), timeout_s=900)


def check(rows: list[dict[str, Any]], fault: str, figures: Figures) -> None:
    figures(f"a publish, {fault} at its file operations", f"{len(rows)} operations",
            f"{sum(bool(row['problems']) for row in rows)} left something wrong")
    print(dict(Counter(row["call"] for row in rows)))
    assert all(row["hit"] for row in rows)
    assert [row for row in rows if row["problems"]] == []


@needs_strace
@pytest.mark.parametrize("fault", ["killed", "EIO", "ENOSPC"])
def test_a_publish_disturbed_at_some_operations_leaves_a_whole_version(
    memory_folder: Path, fault: str, figures: Figures
) -> None:
    rows = disturbed(memory_folder, fault, 6)
    check(rows, fault, figures)
    assert len(rows) > 20


@needs_strace
@pytest.mark.soak
@pytest.mark.parametrize("fault", ["killed", "EIO", "ENOSPC"])
def test_a_publish_disturbed_at_every_operation_leaves_a_whole_version(
    memory_folder: Path, fault: str, figures: Figures
) -> None:
    rows = disturbed(memory_folder, fault, 1)
    check(rows, fault, figures)
    assert {"openat", "write", "fsync", "rename", "mkdir", "pwrite64"} <= {row["call"] for row in rows}


@needs_strace
@pytest.mark.parametrize(("fault", "plant"), [("killed", "pointer-first"), ("EIO", "silent-disk")])
def test_the_harness_catches_a_planted_bug(memory_folder: Path, fault: str, plant: str) -> None:
    assert any(row["problems"] for row in disturbed(memory_folder, fault, 4, plant))
