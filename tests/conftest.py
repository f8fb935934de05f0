"""Fixtures for all rooms."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def memory_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where the system has that: for tests of many small commits, which the disk only slows."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as name:
        yield Path(name)


# Rooms whose tests start processes, write files or play through many worlds; `make unit` leaves them out.
INTEGRATION = {"cli", "consumers", "contracts", "flows", "indexers", "journeys", "ledger", "log"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests of the rooms above as integration."""
    root = Path(__file__).parent
    for item in items:
        if item.path.relative_to(root).parts[0] in INTEGRATION:
            item.add_marker(pytest.mark.integration)
