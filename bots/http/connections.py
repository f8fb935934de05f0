"""Connections of people who are slow on purpose are cut off, so that they take no place from others."""

import asyncio
from collections import Counter
from collections.abc import Collection
from itertools import count
from typing import TYPE_CHECKING, Any

from bots.http.identity.peers import network_of

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol


def protocol(seconds: float, most: int) -> "type[H11Protocol]":
    """For uvicorn: a request's headers have that time to come, and what is sent has that time to be taken.

    From `most` connections on one that waits for its other side makes room for a new one.
    """
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    numbers = count()

    class Impatient(H11Protocol):
        """`_due` is there while the other side has to do something before the connection is cut off."""

        _due: asyncio.TimerHandle | None = None
        _taken: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.access_log = False             # it would tell links and names of documents
            self.number, self.network = next(numbers), network_of(self.client[0] if self.client else "")
            self._look()
            if len(self.connections) >= most:
                _make_room([one for one in self.connections if isinstance(one, Impatient) and one is not self])

        @property
        def waits(self) -> bool:
            """For the other side to send a whole request."""
            return not self.transport.is_closing() and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            _stop(self._due)
            _stop(self._taken)
            super().connection_lost(exc)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._taken = self._taken or self.loop.call_later(seconds, self.transport.abort)

        def resume_writing(self) -> None:
            _stop(self._taken)
            self._taken = None
            super().resume_writing()

        def _look(self) -> None:
            """The time runs from the first byte on; more bytes give no more time."""
            if self.conn.their_state is not h11.IDLE:
                _stop(self._due)
                self._due = None
            elif self._due is None:
                self._due = self.loop.call_later(seconds, self.transport.abort)

    return Impatient


def _make_room(others: Collection[Any]) -> None:
    """One that waits is cut off: the oldest of the network that has most of them, so that nobody takes all places."""
    waiting = [one for one in others if one.waits]
    held = Counter(one.network for one in waiting)
    if waiting:
        min(waiting, key=lambda one: (-held[one.network], one.number)).transport.abort()


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
