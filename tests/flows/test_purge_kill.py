"""A purge killed at any of its steps leaves whole versions, and is brought to its end by the next one or an ingest."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def killed(folder: Path, stride: int, first: int) -> list[dict[str, object]]:
    env = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"}
    command = [sys.executable, str(ROOT / "tests/flows/kill_purge.py"), str(folder), str(stride), str(first)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


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
