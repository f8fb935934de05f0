"""A limit for an exchange over HTTP as a whole."""

import http.client
import socket
import threading
from contextlib import suppress
from typing import Any


class Watchdog:
    """Ends an exchange that takes too long in all, though each of its bytes may come in time; `bit`: it did."""

    def __init__(self, connection: http.client.HTTPConnection, seconds: float) -> None:
        self._connection = connection
        self._timer = threading.Timer(seconds, self._bite)
        self._timer.daemon = True
        self.bit = False

    def __enter__(self) -> "Watchdog":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _bite(self) -> None:
        self.bit = True
        open_socket: Any = self._connection.sock
        if open_socket is not None:
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
