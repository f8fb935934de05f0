"""A limit for an exchange over HTTP as a whole."""

import http.client
import socket
import threading
from contextlib import suppress
from typing import Any


class Deadline:
    """Ends an exchange that takes too long in all, though each of its bytes may come in time; `passed`: it did."""

    def __init__(self, connection: http.client.HTTPConnection, seconds: float) -> None:
        self._connection = connection
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self.passed = False

    def __enter__(self) -> "Deadline":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self.passed = True
        open_socket: Any = self._connection.sock
        if open_socket is not None:
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
