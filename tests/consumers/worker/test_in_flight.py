"""What is in hand, against a list of everything that ever happened to each message."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from consumers.worker.in_flight import InFlight
from vouch.ports.log import Record

STEPS = st.lists(st.tuples(st.sampled_from(["take", "begin", "finish", "lose"]), st.integers(0, 999)), max_size=80)


def record(partition: int, offset: int, key: int) -> Record:
    return Record("t", partition, offset, str(key).encode(), b"", (), 0)


class Oracle:
    """The rules, each as one sentence over all messages of a partition."""

    def __init__(self) -> None:
        self.taken: list[Record] = []
        self.begun: set[Record] = set()
        self.finished: set[Record] = set()
        self.lost: set[Record] = set()

    def may_begin(self) -> set[Record]:
        """Those that are the first unfinished of their key."""
        first: dict[bytes, Record] = {}
        for one in self.taken:
            if one not in self.finished and one not in self.lost:
                first.setdefault(one.key, one)
        return set(first.values()) - self.begun

    def committable(self, partition: int) -> int:
        """How many messages from the first on are all finished; what was lost is another's."""
        count = 0
        for one in (one for one in self.taken if one.partition == partition and one not in self.lost):
            if one not in self.finished:
                break
            count = one.offset + 1
        return count


@given(STEPS, st.integers(1, 3), st.integers(1, 4))
def test_in_hand_agrees_with_the_oracle(steps: list[tuple[str, int]], partitions: int, keys: int) -> None:
    hand, oracle = InFlight(), Oracle()
    heads: dict[int, int] = defaultdict(int)
    committed: dict[int, int] = defaultdict(int)
    for step, n in steps:
        if step == "take":
            key = n % keys
            partition = key % partitions            # equal keys lie in one partition
            one = record(partition, heads[partition], key)
            heads[partition] += 1
            assert hand.take(one) and not hand.take(one)
            oracle.taken.append(one)
        elif step == "begin" and (one := hand.next()) is not None:
            assert one in oracle.may_begin()
            hand.begin(one)
            oracle.begun.add(one)
        elif step == "finish" and oracle.begun - oracle.finished:
            at_work = sorted(oracle.begun - oracle.finished, key=lambda r: (r.partition, r.offset))
            one = at_work[n % len(at_work)]
            furthest = hand.finish(one)
            oracle.finished.add(one)
            if furthest is not None:
                assert furthest.partition == one.partition
                assert furthest.offset + 1 > committed[one.partition]
                committed[one.partition] = furthest.offset + 1
            assert committed[one.partition] == max(
                oracle.committable(one.partition), committed[one.partition] if oracle.lost else 0
            )
        elif step == "lose" and not oracle.lost:
            hand.lose("t", n % partitions)
            oracle.lost = {r for r in oracle.taken if r.partition == n % partitions and r not in oracle.begun}
        unfinished = set(oracle.taken) - oracle.finished - oracle.lost
        assert len(hand) == len(unfinished)
        assert (hand.next() is None) == (not oracle.may_begin())
        assert hand.begun == len(oracle.begun - oracle.finished)


def test_every_message_comes_to_its_end() -> None:
    hand = InFlight()
    for offset in range(40):
        hand.take(record(offset % 3, offset // 3, offset % 3 + 3 * (offset % 2)))
    order, furthest = [], None
    while (one := hand.next()) is not None:
        hand.begin(one)
        furthest = hand.finish(one)
        order.append(one)
    assert len(order) == 40 and len(hand) == 0 and hand.uncommitted == 0 and furthest is not None
    for key in {one.key for one in order}:
        offsets = [one.offset for one in order if one.key == key]
        assert offsets == sorted(offsets)


def test_what_was_given_away_is_taken_again_when_it_comes_back() -> None:
    hand = InFlight()
    first, second, third = (record(0, offset, offset) for offset in range(3))
    for one in (first, second, third):
        hand.take(one)
    hand.begin(first)
    hand.lose("t", 0)
    assert len(hand) == 1 and hand.next() is None
    assert not hand.take(first) and hand.take(second)       # the first is still at work
    hand.begin(second)
    assert hand.finish(second) is None and hand.finish(first) == second


def test_what_is_done_and_waits_for_its_commit_is_not_taken_again() -> None:
    hand = InFlight()
    first, second = record(0, 0, 0), record(0, 1, 1)
    for one in (first, second):
        hand.take(one)
        hand.begin(one)
    assert hand.finish(second) is None and not hand.take(second)
    assert hand.finish(first) == second


def test_a_keys_next_message_waits_behind_the_other_keys() -> None:
    """One busy thread of talk does not keep the others waiting."""
    hand = InFlight()
    busy = [record(0, offset, 0) for offset in range(3)]
    others = [record(0, 3, 1), record(0, 4, 2)]
    for one in (*busy, *others):
        hand.take(one)
    order = []
    while (one := hand.next()) is not None:
        hand.begin(one)
        hand.finish(one)
        order.append(one)
    assert order == [busy[0], *others, busy[1], busy[2]]
