"""Waiting for what happens to questions: whoever waits is woken by what is told, and nobody looks meanwhile."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from bots.http.backend import Event, Progress


class News:
    """For one event loop. Where nothing happens it costs nothing, however many wait."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def after(self, question_id: str, number: int) -> Sequence[Event]:
        """What happened after the event with that number, in order."""
        return self._progress.after(question_id, number)

    @contextmanager
    def of(self, question_id: str) -> Iterator[asyncio.Event]:
        """What is set whenever something happened to the question; who waits clears it before looking."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._progress.when_noted(self._told)
        mine = asyncio.Event()
        self._waiting.setdefault(question_id, set()).add(mine)
        try:
            yield mine
        finally:
            others = self._waiting[question_id]
            others.discard(mine)
            if not others:
                del self._waiting[question_id]

    def _told(self, question_id: str) -> None:
        """Called in any thread, at any time."""
        if question_id in self._waiting and self._loop is not None:
            with suppress(RuntimeError):        # the loop has been closed since
                self._loop.call_soon_threadsafe(self._wake, question_id)

    def _wake(self, question_id: str) -> None:
        for each in self._waiting.get(question_id, ()):
            each.set()
