"""How much is taken on at once: whoever asks for more is told to come again, and everything else goes on."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from vouch.errors import Guarded, Overloaded

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
