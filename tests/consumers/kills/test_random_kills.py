"""A worker that holds sixteen questions is killed at random: every question is answered, and none twice."""

import time
from pathlib import Path
from typing import Any

import pytest
from running.script_run import run_script
from running.soak_table import Figures

pytestmark = pytest.mark.integration

SEED = 1


def kill(folder: Path, questions: int, kills: int, planted: str = "") -> dict[str, Any]:
    script, started = Path(__file__).with_name("die_at_random.py"), time.monotonic()
    [found] = run_script(script, folder, questions, kills, SEED, planted, timeout_s=900)
    print(f"seed {SEED}{', ' + planted if planted else ''}: {found}, {time.monotonic() - started:.0f} s")
    return found


def sound(found: dict[str, Any], questions: int, kills: int) -> bool:
    counts = (found["asked"], found["killed_in_work"], found["lag"], found["posted_other_than_recorded"])
    return (found["lost"], found["twice"]) == ([], []) and counts == (questions, kills, 0, 0)


@pytest.mark.slow
def test_eight_kills_over_sixty_questions(memory_folder: Path) -> None:
    assert sound(kill(memory_folder, 60, 8), 60, 8)


@pytest.mark.slow
@pytest.mark.parametrize("planted", ["early", "highest"])
def test_the_harness_sees_a_commit_that_comes_too_early_or_goes_too_far(memory_folder: Path, planted: str) -> None:
    assert kill(memory_folder, 60, 5, planted)["lost"]


@pytest.mark.soak
def test_a_hundred_kills_over_five_hundred_questions(tmp_path: Path, figures: Figures) -> None:
    found = kill(tmp_path, 500, 100)
    figures("workers killed at random while they hold 16 questions", "500 questions, 100 kills",
            f"{len(found['lost'])} lost, {len(found['twice'])} answered twice")
    assert sound(found, 500, 100)
