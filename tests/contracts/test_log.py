"""What every log promises. A machine joins by a case in `make_log`: a fresh log with leases of that length."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kafka_log import fresh_log

from vouch.adapters.log_embedded import EmbeddedLog
from vouch.adapters.log_kafka import KafkaLog
from vouch.adapters.log_kafka_consumer import KafkaMember
from vouch.ports.log import Consumer, Log, Record

MakeLog = Callable[[float], Log]
LEASES = {"embedded": (30.0, 0.4), "kafka": (4.0, 1.5)}         # a long one, and one short enough to wait for
PARTITIONS = 4
LONGEST_S = 15.0                                                # for what is bound to come


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
def join(log: Log) -> Iterator[Callable[..., Consumer]]:
    """Joins a group and leaves it when the test ends."""
    members: list[Consumer] = []

    def joined(group: str = "g", *topics: str, on: Log | None = None) -> Consumer:
        members.append((on or log).consumer(group, topics or ("t",)))
        return members[-1]

    yield joined
    for member in members:
        member.close()


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


def test_equal_keys_keep_their_order_and_nothing_is_lost(log: Log, join: Callable[..., Consumer]) -> None:
    fill(log, 120)
    by_key: dict[bytes, list[int]] = {}
    for record in drain(join(), 120):
        by_key.setdefault(record.key, []).append(int(record.value))
    assert all(values == sorted(values) for values in by_key.values())
    assert sorted(v for values in by_key.values() for v in values) == list(range(120))


def test_one_key_lies_in_one_partition_and_keys_spread(log: Log) -> None:
    producer = log.producer()
    places: dict[bytes, set[int]] = {}
    for i in range(200):
        key = f"k{i % 50}".encode()
        places.setdefault(key, set()).add(producer.send("t", key, b"")[0])
    assert all(len(partitions) == 1 for partitions in places.values())
    assert len(set.union(*places.values())) == 4


def test_keys_values_and_headers_come_back_byte_for_byte(log: Log, join: Callable[..., Consumer]) -> None:
    everything, headers = bytes(range(256)), [("trace", b"\x00\xff"), ("trace", b"second"), ("é", b"")]
    partition, offset = log.producer().send("t", everything, everything * 100, headers)
    record = join().poll(LONGEST_S)
    assert record is not None
    assert (record.topic, record.partition, record.offset) == ("t", partition, offset)
    assert (record.key, record.value, record.headers) == (everything, everything * 100, tuple(headers))
    assert abs(record.timestamp_ms / 1000 - time.time()) < 60


def test_what_was_not_committed_comes_again_to_the_next_member(log: Log, join: Callable[..., Consumer]) -> None:
    fill(log, 20)
    first = join()
    done = [first.poll(LONGEST_S) for _ in range(5)]
    for record in done[:-1]:
        assert record and first.commit(record)
    first.close()
    rest = {r.value for r in drain(join(), 16)}
    assert {r.value for r in done[:-1] if r}.isdisjoint(rest - {done[-1].value})  # type: ignore[union-attr]
    assert {r.value for r in done if r} | rest == {str(i).encode() for i in range(20)}
    assert done[-1] and done[-1].value in rest


def test_a_group_that_comes_late_reads_from_the_beginning_and_groups_do_not_disturb_each_other(
    log: Log, join: Callable[..., Consumer]
) -> None:
    fill(log, 30)
    assert len(drain(join("one"), 30)) == 30
    assert len(drain(join("two"), 30)) == 30
    assert (log.lag("one", "t"), log.lag("three", "t")) == (0, 30)


def test_what_waits_is_told_by_partition(log: Log, join: Callable[..., Consumer]) -> None:
    assert sum(log.lags("g", "t").values()) == 0
    fill(log, 30)
    before = log.lags("g", "t")
    assert sum(before.values()) == log.lag("g", "t") == 30
    member = join()
    record = member.poll(LONGEST_S)
    assert record and member.commit(record)
    after = log.lags("g", "t")
    assert {part: before[part] - after[part] for part in before if before[part] != after[part]} == {record.partition: 1}


def met(members: list[Consumer], machine: str) -> bool:
    """Everybody has learned of everybody; on a broker that takes some heartbeats."""
    held = [len(member._held) for member in members] if machine == "kafka" else []  # type: ignore[attr-defined]
    return machine == "embedded" or (all(held) and sum(held) == PARTITIONS)


def test_members_share_the_partitions_and_no_partition_has_two(
    log: Log, machine: str, join: Callable[..., Consumer]
) -> None:
    """Each in a thread of its own: while partitions move, one waits for the others."""
    members, seen, over = [join() for _ in range(3)], [set[int](), set[int](), set[int]()], threading.Event()
    refused: list[Record] = []

    def work(number: int) -> None:
        while not over.is_set():
            if record := members[number].poll(0.05):
                seen[number].add(record.partition)
                if not members[number].commit(record):
                    refused.append(record)

    def wait(reached: Callable[[], bool]) -> bool:
        until = time.monotonic() + LONGEST_S
        while not reached() and time.monotonic() < until:
            time.sleep(0.05)
        return reached()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert wait(lambda: met(members, machine))
        time.sleep(0.3)
        fill(log, 200, keys=80)
        assert wait(lambda: log.lag("g", "t") == 0)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert refused == [] and sorted(map(len, seen)) == [1, 1, 2]
    assert set.union(*seen) == {0, 1, 2, 3}


def test_members_that_come_and_go_lose_nothing_and_double_nothing(log: Log, machine: str) -> None:
    fill(log, 400)
    got: list[bytes] = []
    at_work: Counter[int] = Counter()
    clashes: list[int] = []
    guard = threading.Lock()

    def work(delay: float, most: int) -> None:
        time.sleep(delay)
        member = log.consumer("g", ["t"])
        for _ in range(most):
            record = member.poll(1.0 if machine == "embedded" else 4.0)
            if record is None:
                break
            with guard:
                at_work[record.partition] += 1
                if at_work[record.partition] > 1:
                    clashes.append(record.partition)
            time.sleep(0.001)
            with guard:
                at_work[record.partition] -= 1
            if member.commit(record):
                with guard:
                    got.append(record.value)
        member.close()

    plans = [(0, 40), (0.05, 1000), (0.1, 50), (0.15, 1000), (0.2, 30)]
    threads = [threading.Thread(target=work, args=plan) for plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clashes == []
    assert sorted(map(int, got)) == list(range(400))


def test_a_silent_member_loses_its_partitions_and_may_not_commit(
    make_log: MakeLog, short: float, join: Callable[..., Consumer], silence: Callable[[Consumer], None]
) -> None:
    log = make_log(short)
    fill(log, 10, keys=1)
    first = join(on=log)
    held = first.poll(LONGEST_S)
    assert held and held.offset == 0
    silence(first)
    second = join(on=log)
    taken = second.poll(LONGEST_S)
    assert taken == held
    assert (first.holds(held), second.holds(held)) == (False, True)
    assert first.commit(held) is False
    assert second.commit(held) is True
    assert log.lag("g", "t") == 9


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> Callable[[Consumer], None]:
    """Makes a member look dead to the others, as a stopped process would."""

    def silenced(member: Consumer) -> None:
        if isinstance(member, KafkaMember):
            member._client._coordinator._disable_heartbeat()
            return
        member._closed.set()            # type: ignore[attr-defined]  # ends the embedded log's heartbeat
        member._heart.join()            # type: ignore[attr-defined]
        member._closed.clear()          # type: ignore[attr-defined]

    return silenced


def test_work_longer_than_the_lease_keeps_the_partition(
    make_log: MakeLog, short: float, join: Callable[..., Consumer]
) -> None:
    log = make_log(short)
    fill(log, 3, keys=1)
    first, second = join(on=log), join(on=log)
    owner, other = first, second
    record = None
    while record is None:
        owner, other = other, owner
        record = owner.poll(0.1)
    until = time.monotonic() + 2.5 * short
    while time.monotonic() < until:
        assert other.poll(0.05) is None
    assert owner.commit(record) is True


def test_close_frees_the_partitions_at_once(log: Log, join: Callable[..., Consumer]) -> None:
    fill(log, 8)
    first = join()
    assert first.poll(LONGEST_S)
    first.close()
    start = time.monotonic()
    assert len(drain(join(), 8)) == 8
    assert time.monotonic() - start < 5


def test_seek_reads_again_and_a_later_commit_counts_from_there(log: Log, join: Callable[..., Consumer]) -> None:
    fill(log, 10, keys=1)
    member = join()
    records = drain(member, 10)
    partition = records[0].partition
    assert member.seek("t", partition, 4) is True
    again = drain(member, 6)
    assert [r.offset for r in again] == [4, 5, 6, 7, 8, 9]
    assert log.lag("g", "t") == 0
    assert member.seek("t", (partition + 1) % 4, 0) is True
    assert member.seek("other", 0, 0) is False


def test_what_a_refused_commit_leaves_open_comes_again(log: Log, join: Callable[..., Consumer]) -> None:
    fill(log, 6, keys=1)
    member = join()
    records = [member.poll(LONGEST_S) for _ in range(4)]
    assert records[3] and member.seek("t", records[3].partition, 1)
    assert member.poll(LONGEST_S) == records[1]
    assert (member.holds(records[3]), member.commit(records[3])) == (False, False)
    assert [member.poll(LONGEST_S) for _ in range(2)] == records[1:3]
    assert records[2] and member.holds(records[2]) and member.commit(records[2])
    assert log.lag("g", "t") == 3


def test_an_older_commit_does_not_undo_a_newer_one(log: Log, join: Callable[..., Consumer]) -> None:
    fill(log, 5, keys=1)
    member = join()
    records = drain(member, 5, commit=False)
    assert member.commit(records[4]) and member.commit(records[1])
    assert log.lag("g", "t") == 0


def test_one_member_reads_several_topics_and_none_starves(log: Log, join: Callable[..., Consumer]) -> None:
    fill(log, 200, keys=1, topic="busy")
    fill(log, 1, topic="quiet")
    member = join("g", "busy", "quiet")
    first = [member.poll(1) for _ in range(4)]
    assert {r.topic for r in first if r} == {"busy", "quiet"}


def test_everything_can_be_read_without_joining_a_group(log: Log) -> None:
    fill(log, 300)
    records = list(log.read("t"))
    assert sorted(int(r.value) for r in records) == list(range(300))
    assert [(r.partition, r.offset) for r in records] == sorted((r.partition, r.offset) for r in records)
    assert list(log.read("nothing")) == []


def test_a_poll_waits_for_its_time_and_sees_what_arrives(log: Log, join: Callable[..., Consumer]) -> None:
    member = join()
    start = time.monotonic()
    assert member.poll(0.2) is None
    assert 0.15 < time.monotonic() - start < 2
    threading.Timer(0.1, lambda: log.producer().send("t", b"k", b"v")).start()
    assert member.poll(LONGEST_S) is not None


def test_what_is_discarded_is_read_no_more(log: Log) -> None:
    fill(log, 8, keys=1)
    partition = next(iter(log.read("t"))).partition

    def left() -> list[int]:
        return [record.offset for record in log.read("t")]

    for gone, expected in (({1, 4}, [0, 2, 3, 5, 6, 7]), ({0}, [2, 3, 5, 6, 7]), ({0, 2, 3, 6}, [5, 7])):
        log.discard("t", [(partition, offset) for offset in gone])
        assert left() == expected
    fill(log, 1, keys=1)
    assert left() == [5, 7, 8]
    log.discard("t", [(partition, offset) for offset in (5, 7, 8)])
    assert left() == []
