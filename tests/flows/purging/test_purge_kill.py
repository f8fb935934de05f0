"""A purge killed at any of its steps leaves whole versions, and is brought to its end by the next one or an ingest."""

import random
from pathlib import Path

import pytest
from running.script_run import run_script


def killed(folder: Path, stride: int, first: int) -> list[dict[str, object]]:
    return run_script(Path(__file__).with_name("kill_purge.py"), folder, stride, first, timeout_s=3600)


@pytest.mark.slow
def test_a_killed_purge_is_gone_on_with(memory_folder):
    first = random.Random().randrange(1, 40)
    print(f"first step {first}")
    steps = killed(memory_folder, 40, first)
    assert [step for step in steps if step["problems"]] == []
    assert len(steps) > 2 and {step["code"] for step in steps} == {0, 9}


@pytest.mark.soak
def test_a_purge_killed_at_every_step_is_gone_on_with(memory_folder, figures):
    steps = killed(memory_folder, 1, 1)
    figures("a purge killed at each of its steps", f"{len(steps) - 1} steps",
            f"{sum(bool(step['problems']) for step in steps)} not brought to a clean end")
    assert [step for step in steps if step["problems"]] == []
