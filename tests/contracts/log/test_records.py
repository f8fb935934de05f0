"""Records come whole, in the order of their key, to whoever reads them."""

import threading
import time

from machines.log_steps import LONGEST_S, Join, drain, fill

from vouch.ports.log import Log


def test_equal_keys_keep_their_order_and_nothing_is_lost(log: Log, join: Join) -> None:
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


def test_keys_values_and_headers_come_back_byte_for_byte(log: Log, join: Join) -> None:
    everything, headers = bytes(range(256)), [("trace", b"\x00\xff"), ("trace", b"second"), ("é", b"")]
    partition, offset = log.producer().send("t", everything, everything * 100, headers)
    record = join().poll(LONGEST_S)
    assert record is not None
    assert (record.topic, record.partition, record.offset) == ("t", partition, offset)
    assert (record.key, record.value, record.headers) == (everything, everything * 100, tuple(headers))
    assert abs(record.timestamp_ms / 1000 - time.time()) < 60


def test_one_member_reads_several_topics_and_none_starves(log: Log, join: Join) -> None:
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


def test_a_poll_waits_for_its_time_and_sees_what_arrives(log: Log, join: Join) -> None:
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
