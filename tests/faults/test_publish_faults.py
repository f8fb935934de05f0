"""A publish killed, or refused by the disk, at each of its file operations; and readers beside two hundred of them."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faults.traced import MISSING
from soak_table import Figures

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"}
needs_strace = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def disturbed(folder: Path, fault: str, every: int, plant: str = "") -> list[dict[str, Any]]:
    """One row per file operation that was hit."""
    script = ROOT / "tests" / "faults" / "publish_faults.py"
    command = [sys.executable, str(script), str(folder), fault, str(every), *([plant] if plant else [])]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


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
