"""A worker that is killed at any moment of an ingest loses no change that the log has."""

from pathlib import Path
from typing import Any

import pytest
from running.script_run import run_script
from running.soak_table import Figures

pytestmark = pytest.mark.integration


def life(folder: Path, changes: int, kills: int, seed: int, *more: str) -> dict[str, Any]:
    folder.mkdir()
    script = Path(__file__).with_name("kill_documents.py")
    [found] = run_script(script, folder, changes, kills, seed, *more, timeout_s=300)
    print(f"seed {seed}: {changes} changes, {kills} kills, dead {found['dead']}")
    return found


@pytest.mark.slow
def test_every_change_arrives_though_the_worker_is_killed(memory_folder: Path) -> None:
    found = life(memory_folder / "1", 24, 6, 11)
    assert found["known"] == found["there"]
    assert (found["ended"], found["lag"], found["dead"]) == (0, 0, 0)


@pytest.mark.slow
def test_the_harness_sees_a_worker_that_commits_too_early(memory_folder: Path) -> None:
    lives = [life(memory_folder / str(seed), 12, 5, seed, "hasty") for seed in (1, 2)]
    assert any(found["known"] != found["there"] for found in lives)


@pytest.mark.soak
def test_a_hundred_kills(memory_folder: Path, figures: Figures) -> None:
    for seed in range(5):
        found = life(memory_folder / str(seed), 80, 20, seed)
        assert found["known"] == found["there"], seed
        assert (found["ended"], found["lag"], found["dead"]) == (0, 0, 0), seed
    figures("edits announced on the log, their worker killed", "5 folders, 400 edits, 100 kills",
            "every index equal to its folder, 0 messages dead")
