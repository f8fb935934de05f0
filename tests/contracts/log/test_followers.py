"""Who follows reads what arrives from then on, whoever else reads it, and leaves nothing behind."""

import time
from contextlib import closing

from machines.log_steps import LONGEST_S, Join, drain, fill

from vouch.ports.log import Follower, Log, Record


def followed(follower: Follower, count: int) -> list[Record]:
    found: list[Record] = []
    end = time.monotonic() + LONGEST_S
    while len(found) < count and time.monotonic() < end:
        record = follower.poll(0.2)
        found += [record] if record is not None else []
    return found


def test_each_follower_reads_all_that_arrives_after_it_began_and_nothing_before(log: Log, join: Join) -> None:
    fill(log, 20)
    with closing(log.follow(["t", "quiet"])) as one, closing(log.follow(["t"])) as other:
        producer = log.producer(durable=False)
        for number in range(40):
            producer.send("t", f"k{number % 7}".encode(), f"new {number}".encode())
        producer.send("quiet", b"k", b"hush")
        found = followed(one, 41)
        assert sorted(r.value for r in found) == sorted([*(f"new {n}".encode() for n in range(40)), b"hush"])
        assert one.poll(0.1) is None
        by_key = {key: [int(r.value[4:]) for r in found if r.key == key] for key in {b"k0", b"k6"}}
        assert all(values == sorted(values) for values in by_key.values())
        assert len(followed(other, 40)) == 40
    assert len(drain(join(), 60)) == 60             # groups know nothing of it


def test_a_follower_waits_for_its_time(log: Log) -> None:
    fill(log, 1)
    with closing(log.follow(["t"])) as follower:
        begun = time.monotonic()
        assert follower.poll(0.2) is None
        assert 0.15 < time.monotonic() - begun < 2
