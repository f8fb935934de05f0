"""Members of a group share its partitions, none of which has two at a time: they come, work, fall silent and go."""

import threading
import time
from collections import Counter
from collections.abc import Callable

import pytest
from machines.log_steps import LONGEST_S, PARTITIONS, Join, MakeLog, drain, fill

from vouch.adapters.message_log.kafka.consumer import KafkaMember
from vouch.ports.log import Consumer, Log, Record


def met(members: list[Consumer], machine: str) -> bool:
    """Everybody has learned of everybody; on a broker that takes some heartbeats."""
    held = [len(member._held) for member in members] if machine == "kafka" else []  # type: ignore[attr-defined]
    return machine == "embedded" or (all(held) and sum(held) == PARTITIONS)


def test_members_share_the_partitions_and_no_partition_has_two(log: Log, machine: str, join: Join) -> None:
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_silent_member_loses_its_partitions_and_may_not_commit(
    make_log: MakeLog, short: float, join: Join, silence: Callable[[Consumer], None]
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


@pytest.mark.slow
def test_work_longer_than_the_lease_keeps_the_partition(make_log: MakeLog, short: float, join: Join) -> None:
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


def test_close_frees_the_partitions_at_once(log: Log, join: Join) -> None:
    fill(log, 8)
    first = join()
    assert first.poll(LONGEST_S)
    first.close()
    start = time.monotonic()
    assert len(drain(join(), 8)) == 8
    assert time.monotonic() - start < 5
