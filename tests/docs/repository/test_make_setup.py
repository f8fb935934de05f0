"""`make setup` with and without CUDA, on a folder whose Python and uv only note what they are asked to do."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
WITH_CUDA = re.compile(r"(torch|triton|nvidia-.+|cuda-.+)$")
UV = """#!/bin/sh
echo "$@" >> calls
if [ "$2" = sync ]; then for file; do :; done; cp "$file" synced; fi
"""
Make = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    for name in ("Makefile", "requirements.lock", "requirements.uv.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for name, text in (("python", "#!/bin/sh\nexit 0\n"), ("uv", UV)):
        file = tmp_path / ".venv" / "bin" / name
        file.write_text(text)
        file.chmod(0o700)
    return tmp_path


@pytest.fixture
def setup(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    for name in ("TORCH", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        monkeypatch.delenv(name, raising=False)
    return lambda *words: subprocess.run(["make", "setup", f"PYTHON={sys.executable}", *words], cwd=folder,
                                         capture_output=True, text=True, check=False)


def calls(folder: Path) -> list[str]:
    """What uv was asked to do since the last look."""
    file = folder / "calls"
    found = file.read_text().splitlines() if file.exists() else []
    file.write_text("")
    return found


def names(lock: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))


def test_without_cuda_all_but_torch_is_locked_and_torch_is_of_the_locked_version(setup: Make, folder: Path) -> None:
    done = setup("TORCH=cpu")
    assert done.returncode == 0, done.stderr
    synced, torch, own = calls(folder)
    assert synced.startswith("pip sync ") and "--require-hashes" in synced
    version = re.search(r"^torch==(\S+)", LOCK, re.MULTILINE)
    assert version and torch.endswith(f"--torch-backend cpu torch=={version[1]}") and "--no-deps" in torch
    assert own.endswith("--no-deps --no-build-isolation -e .")
    kept = (folder / "synced").read_text()
    assert names(LOCK) - names(kept) == {name for name in names(LOCK) if WITH_CUDA.match(name)} > {"torch", "triton"}
    assert {"numpy", "prefect", "torch"} - names(kept) == {"torch"}
    assert all("--hash=sha256:" in one for one in re.split(r"^(?=[a-z])", kept, flags=re.MULTILINE) if one)


def test_the_choice_is_kept_until_another_is_made(setup: Make, folder: Path) -> None:
    assert setup("TORCH=cpu").returncode == 0 and len(calls(folder)) == 3
    assert setup().returncode == 0 and calls(folder) == []
    os.utime(folder / ".venv" / ".ready", (0, 0))       # as after a pull: what is set up anew is as it was
    assert setup().returncode == 0 and any("--torch-backend cpu" in call for call in calls(folder))
    assert setup("TORCH=locked").returncode == 0
    made = calls(folder)
    assert made[0].endswith("requirements.lock") and not any("--torch-backend" in call for call in made)
    assert names((folder / "synced").read_text()) == names(LOCK)
    assert setup().returncode == 0 and calls(folder) == []


def test_by_itself_it_takes_what_is_locked(setup: Make, folder: Path) -> None:
    assert setup().returncode == 0
    assert [call for call in calls(folder) if "torch" in call] == []
    assert (folder / ".venv" / ".ready").read_text().splitlines() == [str(folder), "locked"]


def test_a_build_that_nobody_knows_is_refused(setup: Make, folder: Path) -> None:
    done = setup("TORCH=gpu")
    assert done.returncode != 0 and "TORCH is cpu or locked, and not 'gpu'" in done.stderr and calls(folder) == []


def test_the_image_leaves_out_the_same() -> None:
    rules = [re.findall(r"awk '([^']+)' requirements\.lock", (ROOT / name).read_text(encoding="utf-8"))
             for name in ("Makefile", "Dockerfile")]
    assert rules[0] == rules[1] and len(rules[0]) == 1
