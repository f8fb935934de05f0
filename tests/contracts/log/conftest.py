"""What every log promises. A machine joins by a case in `make_log`: a fresh log with leases of that length."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from machines.kafka_log import fresh_log
from machines.log_steps import PARTITIONS, Join, MakeLog

from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.ports.log import Consumer, Log

LEASES = {"embedded": (30.0, 0.4), "kafka": (4.0, 1.5)}         # a long one, and one short enough to wait for


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=[pytest.mark.services])])
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make_log(request: pytest.FixtureRequest, machine: str, memory_folder: Path) -> Iterator[MakeLog]:
    made: list[KafkaLog] = []

    def kafka(lease: float) -> Log:
        server = request.getfixturevalue("kafka_server")
        made.append(fresh_log(server, ["t", "busy", "quiet", "nothing"], session_seconds=lease))
        return made[-1]

    def embedded(lease: float) -> Log:
        return EmbeddedLog(memory_folder / "log.sqlite", partitions=PARTITIONS, lease_seconds=lease)

    yield kafka if machine == "kafka" else embedded
    for log in made:
        log.close()


@pytest.fixture
def short(machine: str) -> float:
    return LEASES[machine][1]


@pytest.fixture
def log(make_log: MakeLog, machine: str) -> Log:
    return make_log(LEASES[machine][0])


@pytest.fixture
def join(log: Log) -> Iterator[Join]:
    """Joins a group and leaves it when the test ends."""
    members: list[Consumer] = []

    def joined(group: str = "g", *topics: str, on: Log | None = None) -> Consumer:
        members.append((on or log).consumer(group, topics or ("t",)))
        return members[-1]

    yield joined
    for member in members:
        member.close()
