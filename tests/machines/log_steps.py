"""Filling a log and reading it to its end, whatever machine it is."""

from collections.abc import Callable

from vouch.ports.log import Consumer, Log, Record

MakeLog = Callable[[float], Log]         # with leases of that many seconds
Join = Callable[..., Consumer]           # joins a group and leaves it when the test ends
PARTITIONS = 4
LONGEST_S = 15.0                         # for what is bound to come


def fill(log: Log, count: int, keys: int = 40, topic: str = "t") -> None:
    producer = log.producer()
    for i in range(count):
        producer.send(topic, f"k{i % keys}".encode(), str(i).encode())
    producer.close()


def drain(consumer: Consumer, count: int, commit: bool = True) -> list[Record]:
    """So many records, and no more come after them."""
    found: list[Record] = []
    while len(found) < count:
        record = consumer.poll(LONGEST_S)
        assert record is not None
        found.append(record)
        if commit:
            assert consumer.commit(record)
    assert consumer.poll(0.2) is None
    return found
