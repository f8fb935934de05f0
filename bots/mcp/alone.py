"""The desk of a process that serves one assistant: one thing at a time."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from vouch.filters import EVERYTHING, Filters

T = TypeVar("T")


class AskClient(Protocol):
    def ask(
        self, text: str, tags: Sequence[str], thread: str | None = None, *, filters: Filters = EVERYTHING
    ) -> dict[str, Any]:
        """The answer, however long it takes. Not to be called twice at a time."""
        ...


class OneAtATime:
    """Implements Desk."""

    def __init__(self, client: AskClient) -> None:
        self._client = client
        self._lock = threading.Lock()

    async def ask(self, question: str, tag: str, filters: Filters) -> dict[str, Any]:
        return await self.run(tag, lambda: self._client.ask(question, (tag,), filters=filters))

    async def run(self, tag: str, work: Callable[[], T]) -> T:
        from anyio import to_thread

        def alone() -> T:
            with self._lock:
                return work()

        return await to_thread.run_sync(alone)
