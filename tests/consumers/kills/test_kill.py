"""One question, asked twice, and a death at every step: the recorded answer is posted once, nothing is left."""

from pathlib import Path
from typing import Any

import pytest
from running.script_run import run_script

pytestmark = pytest.mark.integration


def lives(folder: Path, *arguments: object) -> list[dict[str, Any]]:
    return run_script(Path(__file__).with_name("kill_everywhere.py"), folder, *arguments, timeout_s=180)


@pytest.mark.slow
def test_one_answer_is_posted_wherever_the_process_dies(memory_folder: Path) -> None:
    found = lives(memory_folder)
    assert [life["end"] for life in found] == [9] * (len(found) - 1) + [0]
    assert len(found) > 40
    for life in found:
        assert len(life["posts"]) == 1, life
        assert life["posts"] == [life["recorded"]] == life["announced"], life
        assert (life["outbox"], life["lag"], life["dead"]) == ({"sent": 1}, 0, 0), life


@pytest.mark.slow
def test_the_harness_sees_a_surface_that_forgets_its_posts(memory_folder: Path) -> None:
    assert max(len(life["posts"]) for life in lives(memory_folder, "forgetful")) > 1
