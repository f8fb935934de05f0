"""Serves the application from a thread, and cuts off connections of people who are slow on purpose."""

import asyncio
import logging
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp

from bots.http.identity.proxy import network_of
from vouch.errors import Unavailable, Usage

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
                _make_room([other for other in self.connections if isinstance(other, Impatient) and other is not self])

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


_START_S, _END_S = 10.0, 15
_MOST_AT_ONCE = 200
_TURN_S = 0.001                         # after which a thread that computes lets others go on
_log = logging.getLogger(__name__)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one. Raises Usage for an address that cannot be had."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, proto)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        raise Usage(f"{host} port {port} cannot be had: {error.strerror or error}",
                    cure="choose another with --port, or VOUCH_HTTP__HOST and VOUCH_HTTP__PORT") from error
    return listening


@contextmanager
def served(
    app: ASGIApp, listening: socket.socket, ended: Callable[[], object] = lambda: None, patience_s: float = 10.0,
    most: int = _MOST_AT_ONCE, stopping: threading.Event | None = None,
) -> Iterator[None]:  # fmt: skip
    """In it requests are answered. `ended` is called should that end by itself; `patience_s` is for slow clients, and
    from `most` connections on one that waits for its client makes room for a new one. `stopping` is set before the
    end, so that those who wait go."""
    import uvicorn

    # The limit leaves room for what is being cut off.
    server = uvicorn.Server(uvicorn.Config(
        app, http=protocol(patience_s, most), ws="none", lifespan="on", log_config=None, access_log=False,
        server_header=False, date_header=True, proxy_headers=False, h11_max_incomplete_event_size=20_000,
        timeout_keep_alive=5, timeout_graceful_shutdown=_END_S, limit_concurrency=most + most // 4,
    ))  # fmt: skip

    def run() -> None:
        try:
            server.run(sockets=[listening])
        finally:
            if not server.should_exit:
                _log.error("http: the server has ended by itself")
            ended()

    thread, turn = threading.Thread(target=run, name="http", daemon=True), sys.getswitchinterval()
    sys.setswitchinterval(min(turn, _TURN_S))       # a request takes several turns
    thread.start()
    try:
        _wait_until_started(server, thread)
        yield
    finally:
        sys.setswitchinterval(turn)
        if stopping is not None:
            stopping.set()
        server.should_exit = True
        thread.join(_END_S + 5)
        listening.close()


def _wait_until_started(server: "object", thread: threading.Thread) -> None:
    until = time.monotonic() + _START_S
    while not getattr(server, "started", False):
        if not thread.is_alive() or time.monotonic() > until:
            raise Unavailable("the HTTP server did not start", cure="look at the log")
        time.sleep(0.01)
