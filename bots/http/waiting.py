"""Waits for answers in requests that stay open: a few of each caller, and none for a client that has gone."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.types import Receive

from bots.http.answer_polling import Arrivals
from bots.http.backend import Questions
from bots.http.identity.caller import Caller
from bots.http.load import Streams
from vouch.errors import Guarded, Overloaded


class Waits:
    """For one event loop. Places are those of `streams`, where each caller has as many for waits as for streams."""

    def __init__(self, arrivals: Arrivals, questions: Questions, streams: Streams) -> None:
        self._arrivals = arrivals
        self._questions = questions
        self._streams = streams

    async def answer(
        self, receive: Receive, caller: Caller, prove: Callable[[], object], question_id: str, seconds: float,
        acts_for: Collection[str] = (), *, new: bool = False,
    ) -> Mapping[str, Any] | None:  # fmt: skip
        """The answer, once it is there; None if it is not in time, or there is no place to wait for it.

        `receive` is the request's, whose body was read: once the client has gone nobody waits. `prove` raises
        Unidentified if the request is not taken for the caller's any more: a session may end meanwhile. `new` as of
        `Arrivals.wait`.
        """
        with self._place(caller) as has_place:
            wait = self._arrivals.wait(question_id, seconds if has_place else 0, new=new)
            if not await _unless_gone(receive, wait):
                return None

        def look() -> Mapping[str, Any] | None:
            prove()
            return self._questions.look(question_id, caller.tag, acts_for)

        return await run_in_threadpool(look)

    @contextmanager
    def _place(self, caller: Caller) -> Iterator[bool]:
        counted_as = f"waits {caller.counted_as}"
        try:
            self._streams.open(counted_as)
        except (Guarded, Overloaded):
            yield False
            return
        try:
            yield True
        finally:
            self._streams.close(counted_as)


async def _unless_gone(receive: Receive, wait: Awaitable[bool]) -> bool:
    """What the wait says, or False as soon as the client has gone. Nothing of it goes on afterwards."""
    leaving = asyncio.ensure_future(_gone(receive))
    try:
        async with asyncio.timeout(None) as staying:
            def gone(_: object) -> None:
                staying.reschedule(0)           # at once

            leaving.add_done_callback(gone)
            try:
                return await wait
            finally:
                leaving.remove_done_callback(gone)
    except TimeoutError:
        return False
    finally:
        leaving.cancel()
        await asyncio.wait((leaving,))


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
