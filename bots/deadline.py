"""All the time that an exchange with another server may take."""

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
        self._socket: Any = None
        self.passed = False

    def __enter__(self) -> "Deadline":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def connect(self) -> None:
        """Opens the connection. Raises OSError: TimeoutError if that alone took too long."""
        self._connection.connect()
        self._socket = self._connection.sock    # which http.client lets go of before a last answer is read
        if self.passed:
            raise TimeoutError

    def _end(self) -> None:
        self.passed = True
        open_socket = self._socket or self._connection.sock
        if open_socket is not None:
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
