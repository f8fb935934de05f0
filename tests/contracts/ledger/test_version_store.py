"""What every store of versions promises."""

import threading
from datetime import UTC, datetime

import pytest
from machines.ledger_place import LedgerPlace

from vouch.errors import Conflict, Held, NotFound, Usage
from vouch.ports.stores import Restored, VersionStore


@pytest.fixture
def store(ledger_place: LedgerPlace) -> VersionStore:
    return ledger_place.open().versions


def test_a_new_store_has_no_current_version(store: VersionStore) -> None:
    assert store.current() is None
    assert store.rows() == []


def test_numbers_rise_and_are_never_given_twice(store: VersionStore) -> None:
    first, second = store.allocate(None), store.allocate(None)
    store.abandon(second.number)
    third = store.allocate(first.number)
    assert first.number < second.number < third.number
    assert [(r.number, r.parent, r.state) for r in store.rows()] == [
        (first.number, None, "building"),
        (second.number, None, "abandoned"),
        (third.number, first.number, "building"),
    ]
    assert store.rows()[0] == first
    assert first.created_at.tzinfo is not None and abs((datetime.now(UTC) - first.created_at).total_seconds()) < 60


def test_the_pointer_moves_only_from_where_it_is_expected(store: VersionStore) -> None:
    one, two = store.allocate(None).number, store.allocate(None).number
    store.swap(None, one)
    with pytest.raises(Conflict):
        store.swap(None, two)
    assert store.current() == one
    store.swap(one, two)
    assert [r.state for r in store.rows()] == ["published", "published"]
    store.swap(two, one)                # a rollback
    assert store.current() == one


def test_what_never_was_or_was_given_up_cannot_become_current(store: VersionStore) -> None:
    one = store.allocate(None).number
    with pytest.raises(NotFound):
        store.swap(None, one + 1)
    with pytest.raises(NotFound):
        store.abandon(one + 1)
    store.abandon(one)
    store.abandon(one)
    with pytest.raises(Usage):
        store.swap(None, one)
    two = store.allocate(None).number
    store.swap(None, two)
    with pytest.raises(Usage):
        store.abandon(two)
    assert store.current() == two


def test_of_many_publishers_one_wins_each_step(store: VersionStore) -> None:
    base = store.allocate(None).number
    store.swap(None, base)
    numbers = [store.allocate(base).number for _ in range(8)]
    won, lost = [], []

    def publish(number: int) -> None:
        try:
            store.swap(base, number)
            won.append(number)
        except Conflict:
            lost.append(number)

    threads = [threading.Thread(target=publish, args=(n,)) for n in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and len(lost) == 7
    assert store.current() == won[0]
    assert [r.number for r in store.rows() if r.state == "published"] == [base, won[0]]


def test_a_published_version_retires_but_for_the_current_one(store: VersionStore) -> None:
    one, two, three = (store.allocate(None).number for _ in range(3))
    store.swap(None, one)
    for number in (one, two):           # current; never published
        with pytest.raises(Usage):
            store.retire(number)
    store.swap(one, two)
    store.retire(one)
    store.retire(one)
    assert [r.state for r in store.rows()] == ["retired", "published", "building"]
    with pytest.raises(Usage):
        store.swap(two, one)
    with pytest.raises(Usage):
        store.abandon(one)
    with pytest.raises(NotFound):
        store.retire(three + 1)
    assert store.current() == two


def test_over_a_rollback_only_another_one_moves_the_pointer(store: VersionStore) -> None:
    one, two, three, four = (store.allocate(None).number for _ in range(4))
    store.swap(None, one)
    with pytest.raises(Conflict):
        store.roll_back(two, three, Restored(1, {}))
    store.swap(one, two)                # what failed left no hold
    store.roll_back(two, three, Restored(one, {}))
    with pytest.raises(Held, match=f"version {three} brought back the content of version {one}"):
        store.swap(three, four)
    with pytest.raises(Held):           # also from where the pointer no longer is: nobody shall try again over it
        store.swap(two, four)
    assert (store.current(), store.rows()[-1].state) == (three, "building")
    store.roll_back(three, four, Restored(two, {}))
    five = store.allocate(four).number
    with pytest.raises(Held, match=f"content of version {two}"):
        store.swap(four, five)
    store.swap(four, five, despite_hold=True)
    assert store.current() == five
