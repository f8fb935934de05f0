"""Copies of what another server says: one request reads, the others are not held up, and failures are not repeated."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait

import pytest

from bots.http.identity.remote_documents import Copy, Times
from vouch.errors import Unavailable

TIMES = Times(kept_s=300.0, least_s=10.0, longest_s=3600.0, first_s=5.0)


class Server:
    """Its clock stands still unless it is set."""

    def __init__(self) -> None:
        self.now, self.asked = 0.0, 0
        self.failure: Exception | None = None
        self.copy = Copy(self.read, TIMES, lambda: self.now)

    def read(self) -> int:
        self.asked += 1
        if self.failure is not None:
            raise self.failure
        return self.asked

    def get(self, *, fresh: bool = False) -> int:
        return self.copy.get("it cannot be read", "try again", fresh=fresh)


def test_a_copy_serves_while_it_is_new_and_then_is_read_again() -> None:
    server = Server()
    assert [server.get(), server.get()] == [1, 1]
    server.now = 299.0
    assert server.get() == 1
    server.now = 300.0
    assert [server.get(), server.asked] == [2, 2]


def test_who_needs_another_copy_gets_one_but_not_at_once_again() -> None:
    server = Server()
    assert server.get() == 1
    server.now = 9.0
    assert [server.get(fresh=True), server.asked] == [1, 1]
    server.now = 10.0
    assert [server.get(fresh=True), server.get(fresh=True), server.asked] == [2, 2, 2]


def test_a_failure_is_not_tried_again_at_once_and_the_old_copy_goes_on_for_so_long() -> None:
    server = Server()
    server.get()
    server.now, server.failure = 300.0, OSError("away")
    assert [server.get() for _ in range(5)] == [1] * 5 and server.asked == 2
    server.now = 310.0
    assert server.get() == 1 and server.asked == 3
    server.now = 3600.0
    with pytest.raises(Unavailable, match="it cannot be read: OSError"):
        server.get()
    with pytest.raises(Unavailable, match="it cannot be read"):
        server.get()
    assert server.asked == 4
    server.now, server.failure = 3610.0, None
    assert server.get() == 5


def test_a_failure_that_says_more_is_told_as_it_is() -> None:
    server = Server()
    server.failure = Unavailable("it is another one")
    with pytest.raises(Unavailable, match="it is another one"):
        server.get()


class Slow(Server):
    """Each read takes until `go`."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go = threading.Event(), threading.Event()

    def read(self) -> int:
        self.begun.set()
        self.go.wait(10)
        return super().read()


def test_while_one_reads_the_others_go_on_with_the_old_copy() -> None:
    slow = Slow()
    slow.go.set()
    slow.get()
    slow.begun.clear()
    slow.go.clear()
    slow.now = 300.0
    with ThreadPoolExecutor(1) as pool:
        reads = pool.submit(slow.get)
        assert slow.begun.wait(5) and slow.get() == 1 and not reads.done()
        slow.go.set()
        assert reads.result(5) == 2


def test_eight_wait_for_the_very_first_copy_and_more_are_told_at_once() -> None:
    slow = Slow()
    with ThreadPoolExecutor(12) as pool:
        first = pool.submit(slow.get)
        assert slow.begun.wait(5)
        others = [pool.submit(slow.get) for _ in range(11)]
        refused = [one for one in others if _failed_soon(one)]
        assert len(refused) == 3
        slow.go.set()
        assert [one.result(10) for one in (first, *others) if one not in refused] == [1] * 9 and slow.asked == 1


def _failed_soon(one: "Future[int]") -> bool:
    return wait([one], 0.3).done == {one} and isinstance(one.exception(), Unavailable)
