"""A folder holds as many files as one reads in a list: more of them are sorted into folders by what they are about."""

import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePath

import pytest

ROOT = Path(__file__).parents[3]
MOST = 24


def crowded(files: Iterable[str]) -> dict[str, int]:
    """Folders with too many modules in them, without those in their own folders."""
    counted = Counter(str(PurePath(name).parent) for name in files if name.endswith(".py"))
    return {folder: number for folder, number in counted.items() if number > MOST and folder != "migrations/versions"}


def test_no_folder_is_crowded() -> None:
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    assert crowded(name for name in done.stdout.splitlines() if (ROOT / name).exists()) == {}


def test_a_crowded_one_is_found() -> None:
    files = [f"tests/bots/test_{number}.py" for number in range(MOST + 1)]
    assert crowded(files) == {"tests/bots": MOST + 1} and crowded(files[1:]) == {}
