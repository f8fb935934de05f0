"""Bot, worker and sender of Slack, as processes."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from faults.slack.crew import Crew, at_work, settings_of_servers


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
