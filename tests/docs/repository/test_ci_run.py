"""`.ci/run` asks for the browser as it asks for servers, and says why it could not be had."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parents[3] / ".ci" / "run"
FAILING = 'for n in $(seq 1 40); do echo "line $n"; done; echo "E: no network" >&2; exit 100'


def ran(folder: Path, apt: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """As root where there is no chromium, with what `apt` does for apt-get; `make` tells what the tests are told."""
    stubs = {"make": 'echo "$1 $2 $VOUCH_REQUIRE_SERVICES $VOUCH_REQUIRE_BROWSER"', "id": "echo 0", "apt-get": apt,
             "strace": ":"}
    for name, words in stubs.items():
        (folder / name).write_text(f"#!/bin/sh\n{words}\n")
        (folder / name).chmod(0o755)
    for name in ("bash", "sh", "dirname", "tail", "seq", "ln", "cat"):
        (folder / name).symlink_to(shutil.which(name) or "")
    known = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    return subprocess.run([folder / "bash", RUN], env={**known, "PATH": str(folder), **env}, capture_output=True,
                          text=True, check=False, timeout=60)


def test_a_browser_that_cannot_be_installed_is_said_and_asked_for(tmp_path: Path) -> None:
    done = ran(tmp_path, FAILING)
    assert done.returncode == 0 and done.stdout == "style test 1 1\n"
    assert "E: no network" in done.stderr and "line 40" in done.stderr and "line 10\n" not in done.stderr
    assert "made to fail" in done.stderr


def test_one_may_do_without_it_from_outside(tmp_path: Path) -> None:
    done = ran(tmp_path, FAILING, VOUCH_REQUIRE_BROWSER="0", VOUCH_REQUIRE_SERVICES="0")
    assert done.stdout == "style test 0 0\n" and "in a browser are skipped" in done.stderr


@pytest.mark.parametrize("require", ["0", "1"])
def test_nothing_is_said_where_it_is_there(tmp_path: Path, require: str) -> None:
    done = ran(tmp_path, f'ln -sf "{tmp_path}/cat" "{tmp_path}/chromium"', VOUCH_REQUIRE_BROWSER=require)
    assert done.stdout == f"style test 1 {require}\n" and done.stderr == ""
