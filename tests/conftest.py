"""Fixtures for all packages."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from homes.memory import folder_in_memory
from hypothesis import settings
from machines.ledger_place import LedgerPlace, in_a_file, new_ledger, on_a_server
from machines.prefect_place import PrefectPlace, prefect_place
from servers.fixtures import SERVERS, elasticsearch_server, kafka_server, postgres_server, pytest_runtest_call

from vouch.adapters.ledger import Ledger

__all__ = ["elasticsearch_server", "kafka_server", "postgres_server", "pytest_runtest_call"]

pytest_plugins = ["running.soak_table"]

# Several processes of tests share the cores: a model that waits for its second thread takes several times as long.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# How long an example takes says how busy the machine is; what must not take long has a test of its own.
settings.register_profile("vouch", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=30)      # of 100, where a test says no number of its own
settings.load_profile("vouch")


@pytest.fixture
def memory_folder() -> Iterator[Path]:
    with folder_in_memory() as folder:
        yield folder


@pytest.fixture
def ledger(memory_folder: Path) -> Iterator[Ledger]:
    """An empty one in a file, where its kind of database does not matter."""
    with closing(new_ledger(memory_folder / "ledger.sqlite")) as opened:
        yield opened


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests about results, not about power cuts, need not wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def unlogged() -> Iterator[None]:
    """For thousands of worlds: pytest keeps what is logged, and with the errors in it the open files of each world."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="session")
def prefect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectPlace]:
    """One server for all tests that need one: each adds sources of its own to the home."""
    with prefect_place(tmp_path_factory.mktemp("prefect")) as place:
        yield place


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.services)])
def ledger_place(request: pytest.FixtureRequest, memory_folder: Path) -> Iterator[LedgerPlace]:
    """An empty ledger: a test that asks for it runs once on each kind of database."""
    if request.param == "sqlite":
        place = in_a_file(memory_folder)
    else:
        place = on_a_server(request.getfixturevalue("postgres_server"))
    with place as here:
        yield here


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """Ctrl-C means what it means at a terminal; what a test sets for it and for SIGTERM ends with the test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)   # a shell has what it starts in the background ignore it
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


# Folders whose tests start processes or play through whole runs; other tests like that carry the mark themselves.
INTEGRATION = {"cli", "faults", "flows", "journeys", "servers"}


def pytest_configure(config: pytest.Config) -> None:
    if "not slow" in config.getoption("-m"):
        settings.load_profile("quick")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Names a failure at once: whoever stops a long run, or has it stopped, knows already what failed."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\nFAILED {report.nodeid} ({report.when}, {report.duration:.0f} s)", file=sys.__stderr__, flush=True)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whole folders that `-m` leaves out are not even imported, which takes longer than many tests."""
    inside = collection_path.relative_to(Path(__file__).parent).parts
    return True if "not integration" in config.getoption("-m") and INTEGRATION.intersection(inside[:1]) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks tests of the folders above, and those that need a server; long forms run only when `-m` asks for `soak`."""
    root = Path(__file__).parent
    for item in items:
        if item.path.relative_to(root).parts[0] in INTEGRATION:
            item.add_marker(pytest.mark.integration)
        if SERVERS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.services)
        if item.get_closest_marker("services"):         # also those whose parameter asks for the server
            item.add_marker(pytest.mark.integration)
    if "soak" not in config.getoption("-m"):
        left_out = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]
