"""Scripts of the tests as processes of their own, which find the modules of the tests and of vouch."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
PATHS = f"{TESTS}{os.pathsep}{TESTS.parent}"


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": PATHS, **more}


def command(script: Path, *words: object) -> list[str]:
    return [sys.executable, str(script), *map(str, words)]


def run_script(script: Path, *words: object, timeout_s: float, **more: str) -> list[Any]:
    """The lines of JSON that it printed; `more` are variables. Fails with what it said if it did."""
    done = subprocess.run(
        command(script, *words), env=environment(**more), capture_output=True, text=True, check=False,
        timeout=timeout_s,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]
