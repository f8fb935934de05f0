"""Serves the application from a thread, from before the models are loaded until the process ends."""

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp

from vouch.errors import Unavailable, Usage

_START_S, _END_S = 10.0, 15
_MOST_AT_ONCE = 200
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

    from bots.http.connections import protocol

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

    thread = threading.Thread(target=run, name="http", daemon=True)
    thread.start()
    try:
        _wait_until_started(server, thread)
        yield
    finally:
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
