"""Companies among poison, in files and on servers."""

import itertools
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from faults.delivery.poison import Company
from faults.delivery.poison_places import Opener, in_files, on_servers


@pytest.fixture(params=["files", pytest.param("servers", marks=pytest.mark.services)])
def opener(request: pytest.FixtureRequest, memory_folder: Path, tmp_path: Path) -> Opener:
    """Opens companies with a log and a ledger of their own: in files, and on Kafka and PostgreSQL."""
    if request.param == "servers":
        kafka, postgres = request.getfixturevalue("kafka_server"), request.getfixturevalue("postgres_server")
        return lambda: on_servers(kafka, postgres)
    place = tmp_path if request.node.get_closest_marker("soak") else memory_folder      # what is timed is on the disk
    numbers = itertools.count()

    def open_in_files() -> AbstractContextManager[Company]:
        folder = place / f"company{next(numbers)}"
        folder.mkdir()
        return in_files(folder)

    return open_in_files
