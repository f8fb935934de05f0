"""Real servers for the whole test session: started when the first test asks, there for each test, gone at the end.

Where one cannot be had the test is skipped with the reason; with
VOUCH_REQUIRE_SERVICES=1 it fails.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from servers.elastic import Elasticsearch
from servers.files import Missing
from servers.kafka import Kafka
from servers.keeper import keep
from servers.postgres import Postgres
from servers.process import Process
from servers.server import Server

SERVERS = frozenset({"kafka_server", "postgres_server", "elasticsearch_server"})
S = TypeVar("S", bound=Server)
_RUNNING: list[Server] = []


@contextmanager
def running(kind: Callable[[Path], S]) -> Iterator[S]:
    """A server of its own in a folder of its own, gone at the end. Skips or fails where it cannot be had."""
    # Not below pytest's folder, which the user some servers run as may not enter.
    folder = Path(tempfile.mkdtemp(prefix="vouch-server-", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        with contextlib.ExitStack() as ending:
            try:
                server = kind(folder)
                ending.callback(server.remove)
                _bind(server)
                server.start()
                _RUNNING.append(server)
                ending.callback(_RUNNING.remove, server)
            except Missing as missing:
                if os.environ.get("VOUCH_REQUIRE_SERVICES") == "1":
                    pytest.fail(f"VOUCH_REQUIRE_SERVICES=1, but {missing}")
                pytest.skip(str(missing))
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A test that fails between a stop and a start takes no server from those after it."""
    try:
        return (yield)
    finally:
        if item.get_closest_marker("services"):
            bring_back()


def bring_back() -> None:
    """Every server that runs for tests serves again."""
    for server in _RUNNING:
        if not server.runs.alive():
            server.start()


def _bind(server: Server) -> None:
    """Each time it is started it gets a keeper, so that it ends with us however we end."""
    runs = server.runs
    if not isinstance(runs, Process):
        return
    keepers: list[subprocess.Popen[bytes]] = []

    def kept(pid: int) -> None:
        for former in keepers:
            former.communicate()        # its input ends; what it kept is gone already
        keepers[:] = [keep(pid, runs.folder)]

    runs.begun = kept


@pytest.fixture(scope="session")
def kafka_server() -> Iterator[Kafka]:
    with running(Kafka) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    with running(Postgres) as server:
        yield server


@pytest.fixture(scope="session")
def elasticsearch_server() -> Iterator[Elasticsearch]:
    with running(Elasticsearch) as server:
        yield server
