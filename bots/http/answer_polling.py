"""Waiting for answers: one look at a time for all who wait, however many they are."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from bots.http.backend import Questions

_LOOK_S = 0.025                         # between two looks, while anybody waits, if nothing is told before
_LONGEST_S = 0.2                        # where it is told of every answer
_KEPT = 500                             # answers that nobody waited for yet


class Arrivals:
    """For one event loop. Whoever waits costs no thread, and what is looked at does not grow with their number.

    Looks are for answers that other processes send; while this one sends them all there are fewer. Once `stops` says
    so nobody waits any longer.
    """

    def __init__(self, questions: Questions, stops: Callable[[], bool] = lambda: False) -> None:
        self._questions = questions
        self._stops = stops
        self._waiting: dict[str, set[asyncio.Future[bool]]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._all_told = asyncio.Event()
        self._early: OrderedDict[str, None] = OrderedDict()     # told before anybody waited for them
        self._pause = _LOOK_S

    def _told(self, question_id: str) -> None:
        """Its answer was sent. Called in any thread, at any time."""
        if self._loop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):        # it has been closed since
                self._loop.call_soon_threadsafe(self._heard, question_id)

    def _heard(self, question_id: str) -> None:
        self._pause = min(2 * self._pause, _LONGEST_S)
        if question_id not in self._waiting:
            self._early[question_id] = None
            while len(self._early) > _KEPT:
                self._early.popitem(last=False)
        self._arrived(question_id)

    def _arrived(self, question_id: str) -> None:
        for there in self._waiting.pop(question_id, set()):
            if not there.done():
                there.set_result(True)
        if not self._waiting:
            self._all_told.set()

    async def wait(self, question_id: str, seconds: float, *, new: bool = False) -> bool:
        """Whether the answer was there in time. Raises what the look for it raises.

        One that is `new` was asked a moment ago: it is told of or found by the next look, and none is made for it.
        """
        if question_id in self._early if new else await run_in_threadpool(self._questions.is_sent, question_id):
            return True
        if seconds <= 0:
            return False
        there: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(question_id, set()).add(there)
        if self._looking is None or self._looking.done():
            if self._loop is None:
                self._loop = asyncio.get_running_loop()
                self._questions.when_sent(self._told)
            self._looking = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(seconds):
                return await there
        except TimeoutError:
            return False
        finally:
            self._leave(question_id, there)

    def _leave(self, question_id: str, there: asyncio.Future[bool]) -> None:
        others = self._waiting.get(question_id, set())
        others.discard(there)
        if not others:
            self._waiting.pop(question_id, None)

    async def _look(self) -> None:
        while self._waiting:
            self._all_told.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause):
                    await self._all_told.wait()
            if not self._waiting:
                return
            try:
                sent_ids = await run_in_threadpool(self._questions.sent_among, list(self._waiting))
            except Exception as error:  # whoever waits is told, each in their own request
                for there in self._all():
                    there.set_exception(error)
                return
            for question_id in sent_ids:
                self._pause = _LOOK_S
                self._arrived(question_id)
            if self._stops():
                for there in self._all():
                    there.set_result(False)

    def _all(self) -> list[asyncio.Future[bool]]:
        waiting = [there for each in self._waiting.values() for there in each if not there.done()]
        self._waiting.clear()
        return waiting
