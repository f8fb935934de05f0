"""How much is taken on: how often somebody may come, how many calls at once, and how many open streams."""

import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from vouch.errors import Guarded, Overloaded
from vouch.plurals import count

P = ParamSpec("P")
T = TypeVar("T")


class Slots:
    """Runs calls in threads, `at_once` of them, while `waiting` others wait; at most `each` of one reader.

    For one event loop.
    """

    def __init__(self, at_once: int, waiting: int, each: int) -> None:
        self._limiter = CapacityLimiter(at_once)
        self._room, self._each = at_once + waiting, each
        self._taken: Counter[str] = Counter()

    async def run(self, reader: str, call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """What the call returns. Raises Overloaded where too many wait already, and what the call raises."""
        if self._taken[reader] >= self._each or self._taken.total() >= self._room:
            raise Overloaded("too many searches at once", cure="try again in a moment")
        self._taken[reader] += 1
        try:
            return await to_thread.run_sync(partial(call, *args, **options), limiter=self._limiter)
        finally:
            self._taken -= Counter([reader])                # a name without any is forgotten


class Streams:
    """Counts responses that stay open, of one reader and of all. For one event loop."""

    def __init__(self, each: int, all_together: int) -> None:
        self._each, self._all = each, all_together
        self._open: Counter[str] = Counter()

    def open(self, reader: str) -> None:
        """Raises Guarded where this reader has too many, and Overloaded where all together have."""
        if self._open[reader] >= self._each:
            raise Guarded(f"you have {self._each} event streams open", cure="close one of them")
        if self._open.total() >= self._all:
            raise Overloaded("too many event streams are open", cure="try again in a moment")
        self._open[reader] += 1

    def close(self, reader: str) -> None:
        self._open[reader] -= 1
        if not self._open[reader]:
            del self._open[reader]


class OpenResponse(StreamingResponse):
    """Takes a place among `streams`, and gives it back however it ends. Raises what `Streams.open` raises."""

    def __init__(self, streams: Streams, reader: str, content: AsyncIterator[bytes], **options: Any) -> None:
        super().__init__(content, **options)
        self._streams, self._reader = streams, reader
        streams.open(reader)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._streams.close(self._reader)


_KNOWN = 10_000                         # whoever came longest ago is forgotten first


class Pace:
    """Threads share it. `per_minute` requests at once, and then as many a minute; 0: any number."""

    def __init__(self, per_minute: int, what: str = "request", clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._what, self._clock = per_minute, what, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()       # how many, and when that was
        self._lock = threading.Lock()

    def take(self, who: str) -> None:
        """Raises Guarded, with the time to wait, where nothing is left. What is refused does not count."""
        if not self._most:
            return
        with self._lock:
            now = self._clock()
            left, since = self._left.pop(who, (float(self._most), now))
            left = min(float(self._most), left + (now - since) * self._most / 60)
            self._left[who] = (left - 1 if left >= 1 else left), now
            while len(self._left) > _KNOWN:
                self._left.popitem(last=False)
        if left < 1:
            seconds = max(1, math.ceil((1 - left) * 60 / self._most))
            raise Guarded(f"more than {count(self._most, self._what)} came within a minute",
                          cure=f"come again in {count(seconds, 'second')}")
