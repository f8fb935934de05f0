"""What is particular to the log in a SQLite file: its failures, its clock, its patience with work that hangs."""

import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from vouch.adapters.message_log.embedded import file as log_file
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import Damaged, LogDown, Usage


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def file(memory_folder: Path) -> Path:
    return memory_folder / "home" / "log.sqlite"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_sent_message_is_on_disk(file: Path) -> None:
    with EmbeddedLog(file).producer()._file.read() as db:
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_equal_keys_meet_across_processes_and_a_later_setting_moves_none(file: Path) -> None:
    first = EmbeddedLog(file, partitions=4).producer().send("t", b"key", b"")
    second = EmbeddedLog(file, partitions=64).producer().send("t", b"key", b"")
    assert first == (1, 0) and second == (1, 1)     # crc32 of the key, modulo 4


def test_a_member_silent_past_its_lease_is_out_by_the_clock(file: Path, clock: Clock) -> None:
    log = EmbeddedLog(file, lease_seconds=30, clock=clock)
    log.producer().send("t", b"k", b"v")
    first, second = log.consumer("g", ["t"]), log.consumer("g", ["t"])
    record = first.poll(1)
    assert record
    clock.now += 29
    assert second.poll(0.05) is None
    clock.now += 2
    assert first.commit(record) is False            # even before anybody else has come
    clock.now += 10                                 # a third of a lease, after which members look around
    assert second.poll(1) == record
    assert second.commit(record) is True
    for member in (first, second):
        member.close()


def test_a_handler_that_hangs_loses_its_partition_though_its_process_lives(file: Path) -> None:
    log = EmbeddedLog(file, lease_seconds=0.3, hold_seconds=0.5)
    log.producer().send("t", b"k", b"v")
    hanging, next_one = log.consumer("g", ["t"]), log.consumer("g", ["t"])
    record = None
    while record is None:
        hanging, next_one = next_one, hanging
        record = hanging.poll(0.05)
    taken = next_one.poll(5)
    assert taken == record
    assert hanging.commit(record) is False
    assert next_one.commit(taken) is True
    assert hanging.poll(0.1) is None                # it is back, and finds the work done
    for member in (hanging, next_one):
        member.close()


def test_renewing_keeps_slow_work_from_looking_hung(file: Path, clock: Clock) -> None:
    log = EmbeddedLog(file, lease_seconds=30, hold_seconds=60, clock=clock)
    log.producer().send("t", b"k", b"v")
    member = log.consumer("g", ["t"])
    record = member.poll(1)
    assert record
    for _ in range(10):
        clock.now += 20
        member.renew()
    assert member.commit(record) is True
    member.close()


def test_a_partition_in_work_goes_to_the_newcomer_only_after_its_commit(file: Path) -> None:
    log = EmbeddedLog(file, partitions=2, lease_seconds=30)
    producer = log.producer()
    for i in range(12):
        producer.send("t", f"k{i}".encode(), b"")
    old = log.consumer("g", ["t"])
    in_work = [old.poll(1), old.poll(1)]
    assert {r.partition for r in in_work if r} == {0, 1}
    new = log.consumer("g", ["t"])
    assert new.poll(0.1) is None
    assert old.poll(0) is not None                  # it has learned of the newcomer, and works on both
    assert new.poll(0.1) is None
    for record in in_work:
        assert record and old.commit(record)
    for _ in range(12):
        record = old.poll(0)
        if record:
            assert old.commit(record)
    taken = new.poll(1)
    assert taken is None or new.commit(taken)
    while (record := old.poll(0.05)) or (record := new.poll(0.05)):
        assert old.commit(record) or new.commit(record)
    assert log.lag("g", "t") == 0
    for member in (old, new):
        member.close()


def test_a_replay_gives_everything_again_to_one_group(file: Path) -> None:
    log = EmbeddedLog(file)
    producer = log.producer()
    for i in range(20):
        producer.send("t", str(i).encode(), b"")
    member = log.consumer("g", ["t"])
    while record := member.poll(0.1):
        last = record
        assert member.commit(record)
    log.replay("g", "t")
    assert log.lag("g", "t") == 20
    assert member.commit(last) is False
    again = 0
    while record := member.poll(0.1):
        again += member.commit(record)
    assert again == 20
    member.close()


def test_a_file_that_is_no_log_or_of_a_later_format_is_refused(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"no database" * 1000)
    with pytest.raises(Damaged):
        EmbeddedLog(file).producer()
    file.unlink()
    EmbeddedLog(file).producer().close()
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version=7")
    with pytest.raises(Usage, match="7"):
        EmbeddedLog(file).producer()


def test_a_place_that_cannot_be_written_is_an_outage(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogDown):
        EmbeddedLog(tmp_path / "file" / "log.sqlite").producer()
    with pytest.raises(LogDown):
        EmbeddedLog(tmp_path).producer()


def test_a_full_disk_is_an_outage_for_the_sender_and_nothing_half_sent_stays(file: Path) -> None:
    log = EmbeddedLog(file)
    producer = log.producer()
    producer._file._db.execute("PRAGMA max_page_count=40")
    sent = 0
    with pytest.raises(LogDown, match="full"):
        while sent < 1000:
            producer.send("t", b"k", b"x" * 4000)
            sent += 1
    assert [r.offset for r in log.read("t")] == list(range(sent))
    producer._file._db.execute("PRAGMA max_page_count=100000")
    assert producer.send("t", b"k", b"x")[1] == sent


def test_a_log_that_stays_locked_is_an_outage(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    EmbeddedLog(file).producer().close()
    monkeypatch.setattr(log_file, "_WAIT_S", 0.05)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogDown, match="locked"):
        EmbeddedLog(file).producer().send("t", b"k", b"v")
    other.execute("ROLLBACK")
    other.close()


def test_a_failed_renewal_reads_nothing_until_one_succeeds(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = EmbeddedLog(file)
    log.producer().send("t", b"k", b"v")
    monkeypatch.setattr(log_file, "_WAIT_S", 0.05)
    member = log.consumer("g", ["t"])
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogDown):
        member.poll(0.1)
    other.execute("ROLLBACK")
    assert member.poll(1) is not None
    member.close()
    member.close()


def test_after_close_a_member_is_told_so(file: Path) -> None:
    member = EmbeddedLog(file).consumer("g", ["t"])
    member.close()
    with pytest.raises(LogDown):
        member.poll(0)


def test_threads_may_share_a_producer(file: Path) -> None:
    log = EmbeddedLog(file)
    producer = log.producer()
    threads = [threading.Thread(target=lambda: [producer.send("t", b"k", b"") for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.offset for r in log.read("t")] == list(range(200))


_TAKES_ONE = """
import sys, time
from pathlib import Path
from vouch.adapters.message_log.embedded.log import EmbeddedLog
member = EmbeddedLog(Path(sys.argv[1])).consumer("g", ["t"])
assert member.poll(5) is not None
print("took", flush=True)
time.sleep(60)
"""


def test_what_a_killed_member_held_is_free_at_once(file: Path) -> None:
    """Its lease would last for half a minute."""
    log = EmbeddedLog(file)
    log.producer().send("t", b"k", b"v")
    with subprocess.Popen([sys.executable, "-c", _TAKES_ONE, file], stdout=subprocess.PIPE, text=True) as member:
        assert member.stdout is not None and member.stdout.readline() == "took\n"
        member.kill()
    began = time.monotonic()
    second = log.consumer("g", ["t"])
    record = second.poll(5)
    assert record is not None and record.value == b"v" and time.monotonic() - began < 3
    assert second.commit(record)
    second.close()
    assert list(file.with_name("log.sqlite.members").iterdir()) == []


def test_a_member_that_lives_keeps_what_it_holds(file: Path) -> None:
    log = EmbeddedLog(file)
    log.producer().send("t", b"k", b"v")
    first, second = log.consumer("g", ["t"]), log.consumer("g", ["t"])
    record = first.poll(1)
    assert record is not None and second.poll(0.3) is None and first.commit(record)
    for member in (first, second):
        member.close()


def test_a_member_that_waits_is_woken_by_what_this_process_sends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_FIRST_S", "_LONGEST_S"):
        monkeypatch.setattr(f"vouch.adapters.message_log.embedded.consumer.{name}", 30.0)
    log = EmbeddedLog(tmp_path / "log.sqlite", 1)
    producer, member = log.producer(), log.consumer("readers", ["questions"])
    assert member.poll(0) is None                           # it holds its partitions
    for topic in ("answers", "questions"):                  # the first is none of its own
        threading.Timer(0.2, producer.send, (topic, b"k", b"words")).start()
    began = time.monotonic()
    record = member.poll(20)
    assert record is not None and record.topic == "questions" and time.monotonic() - began < 10
    producer.send("answers", b"k", b"words")
    assert not member._bell.is_set()
    member.close()
    producer.close()
    assert log._bells._by_topic["questions"] == set()
