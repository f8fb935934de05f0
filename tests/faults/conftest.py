"""Fixtures of this folder."""

import itertools
import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from faults.poison import Company
from faults.poison_places import Opener, in_files, on_servers
from faults.slack_crew import Crew, at_work, settings_of_servers


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


@pytest.fixture
def crew(place: str, mode: str, memory_folder: Path, request: pytest.FixtureRequest) -> Iterator[Crew]:
    """Bot, worker, and sender of Slack, told over this transport, with log and ledger in files or on servers."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    with ExitStack() as stack:
        settings = {"VOUCH_LOG__KIND": "embedded", "VOUCH_LOG__LEASE_SECONDS": "1"}
        if place == "on_servers":
            kafka, postgres = request.getfixturevalue("kafka_server"), request.getfixturevalue("postgres_server")
            settings = stack.enter_context(settings_of_servers(kafka, postgres))
        yield stack.enter_context(at_work(memory_folder, mode, random.Random(seed), **settings))
