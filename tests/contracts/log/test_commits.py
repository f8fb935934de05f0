"""What is committed does not come again to its group, and what is not does."""


from machines.log_steps import LONGEST_S, Join, drain, fill

from vouch.ports.log import Log


def test_what_was_not_committed_comes_again_to_the_next_member(log: Log, join: Join) -> None:
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
    log: Log, join: Join
) -> None:
    fill(log, 30)
    assert len(drain(join("one"), 30)) == 30
    assert len(drain(join("two"), 30)) == 30
    assert (log.lag("one", "t"), log.lag("three", "t")) == (0, 30)


def test_what_waits_is_told_by_partition(log: Log, join: Join) -> None:
    assert sum(log.lags("g", "t").values()) == 0
    fill(log, 30)
    before = log.lags("g", "t")
    assert sum(before.values()) == log.lag("g", "t") == 30
    member = join()
    record = member.poll(LONGEST_S)
    assert record and member.commit(record)
    after = log.lags("g", "t")
    assert {part: before[part] - after[part] for part in before if before[part] != after[part]} == {record.partition: 1}


def test_seek_reads_again_and_a_later_commit_counts_from_there(log: Log, join: Join) -> None:
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


def test_what_a_refused_commit_leaves_open_comes_again(log: Log, join: Join) -> None:
    fill(log, 6, keys=1)
    member = join()
    records = [member.poll(LONGEST_S) for _ in range(4)]
    assert records[3] and member.seek("t", records[3].partition, 1)
    assert member.poll(LONGEST_S) == records[1]
    assert (member.holds(records[3]), member.commit(records[3])) == (False, False)
    assert [member.poll(LONGEST_S) for _ in range(2)] == records[1:3]
    assert records[2] and member.holds(records[2]) and member.commit(records[2])
    assert log.lag("g", "t") == 3


def test_an_older_commit_does_not_undo_a_newer_one(log: Log, join: Join) -> None:
    fill(log, 5, keys=1)
    member = join()
    records = drain(member, 5, commit=False)
    assert member.commit(records[4]) and member.commit(records[1])
    assert log.lag("g", "t") == 0
