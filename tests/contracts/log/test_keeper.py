"""A log forgets what it is told to or says that it cannot, and never what somebody has still to read."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from machines.kafka_log import fresh_log
from machines.log_steps import LONGEST_S

from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.message_log.embedded.trim import LogTrim
from vouch.adapters.message_log.kafka.topics import KafkaLogKeeper
from vouch.messages import DEAD
from vouch.ports.log import Log, LogKeeper, Record

READ, DEAD_TOPIC, NOBODYS = "questions", "questions" + DEAD, "answers"
TOPICS = READ, DEAD_TOPIC, NOBODYS
FAR = 10**15                                        # milliseconds, long after every message


@pytest.fixture
def kept(request: pytest.FixtureRequest, machine: str, memory_folder: Path) -> Iterator[tuple[Log, LogKeeper]]:
    if machine == "kafka":
        log = fresh_log(request.getfixturevalue("kafka_server"))
        yield log, KafkaLogKeeper(log.place)
        log.close()
    else:
        path = memory_folder / "log.sqlite"
        yield EmbeddedLog(path, partitions=4), LogTrim(path, frozenset())


def written(log: Log) -> list[Record]:
    return [record for topic in TOPICS for record in log.read(topic)]


def holds(data: bytes) -> bool:
    return b"secret" in data


@pytest.fixture
def half_read(kept: tuple[Log, LogKeeper]) -> list[Record]:
    """Messages, every fourth with the word, in its key, its value or a header; those that a group has still to read."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance, (log, _) = random.Random(seed), kept
    producer = log.producer()
    for number in range(60):
        parts = [f"k{number}".encode(), b"plain", b"plain"]
        if number % 4 == 0:
            parts[chance.randrange(3)] += b" secret"
        producer.send(TOPICS[number % len(TOPICS)] if number >= 30 else READ, parts[0], parts[1], [("h", parts[2])])
    producer.close()
    waiting = {(r.partition, r.offset): r for r in log.read(READ)}
    member = log.consumer("g", [READ])
    for _ in range(20):
        record = member.poll(LONGEST_S)
        assert record is not None and member.commit(record)
        del waiting[record.partition, record.offset]
    member.close()
    return list(waiting.values())


def holding(record: Record) -> bool:
    return holds(record.content())


def still_comes(log: Log, count: int) -> list[Record]:
    member, found = log.consumer("g", [READ]), []
    while len(found) < count:
        record = member.poll(LONGEST_S)
        assert record is not None
        found.append(record)
    assert member.poll(0.2) is None
    member.close()
    return found


def in_order(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda r: (r.partition, r.offset))


@pytest.mark.parametrize("forget", [
    lambda keeper: keeper.erase(holding), lambda keeper: keeper.erase(lambda record: True),
    lambda keeper: keeper.expire(FAR, FAR),
], ids=["words", "everything", "age"])
def test_what_waits_to_be_read_stays(
    kept: tuple[Log, LogKeeper], half_read: list[Record], forget: Callable[[LogKeeper], object]
) -> None:
    log, keeper = kept
    forget(keeper)
    assert in_order(still_comes(log, len(half_read))) == in_order(half_read)


def test_what_holds_the_words_is_gone_or_waits_or_is_told(
    kept: tuple[Log, LogKeeper], half_read: list[Record]
) -> None:
    log, keeper = kept
    before = written(log)
    erased = keeper.erase(holding)
    keeper.scour()
    after = written(log)
    assert erased.deleted == len(before) - len(after) > 0
    assert erased.waiting + len(erased.unproven) > 0
    assert [r for r in before if not holds(r.content())] == [r for r in after if not holds(r.content())]
    left = Counter(r.topic for r in after if holds(r.content()) and r not in half_read and r.topic != NOBODYS)
    assert all(topic in " ".join(erased.unproven) for topic in left), left
    assert DEAD_TOPIC not in left
    assert keeper.erase(holding).deleted == 0


def test_what_is_old_goes_as_it_was_counted(kept: tuple[Log, LogKeeper], half_read: list[Record]) -> None:
    log, keeper = kept
    before = written(log)
    assert (keeper.expired(0, 0), keeper.expire(0, 0)) == (0, 0) and written(log) == before
    later = 1000 * int(time.time()) + 60_000
    counted = keeper.expired(later, 0)
    assert keeper.expire(later, 0) == counted == len(before) - len(written(log))
    assert [r for r in written(log) if r.topic == DEAD_TOPIC] == [r for r in before if r.topic == DEAD_TOPIC]
    assert keeper.expired(later, 0) == 0
