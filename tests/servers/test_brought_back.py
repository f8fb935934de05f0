"""A test that takes a server down and fails leaves it to the next one as it was."""

import os
import subprocess
import sys
import threading
from pathlib import Path

from servers.process import Process, alive

TESTS = Path(__file__).parents[1]
TWO = """
import pytest
from servers.fixtures import running
from servers.process import Process
from servers.server import Server

pytestmark = pytest.mark.services


class Sleeper(Server):
    def __init__(self, folder):
        self.runs = Process(["sleep", "300"], folder, lambda: True)


@pytest.fixture(scope="session")
def sleeper():
    with running(Sleeper) as server:
        yield server


@pytest.fixture
def used(sleeper):
    yield sleeper
    assert sleeper.runs.alive(), "nothing to clear away at"


def test_one(used):
    used.stop(kill=True)
    assert not used.runs.alive()
    raise LookupError("half way")


def test_two(sleeper):
    assert sleeper.runs.alive()
"""


def test_a_server_that_a_failed_test_took_down_is_there_for_the_next(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(TWO)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = services: needs a server\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "servers.fixtures", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(TESTS)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "1 failed, 1 passed in" in done.stdout and "LookupError: half way" in done.stdout, done.stdout


def test_a_server_that_two_start_at_once_runs_once(tmp_path: Path) -> None:
    begun: list[int] = []
    server = Process(["sleep", "300"], tmp_path, lambda: True, begun=begun.append)
    threads = [threading.Thread(target=server.start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert begun == [server.pid] and server.alive()
    server.remove()
    assert not server.alive() and not alive(begun[0])
