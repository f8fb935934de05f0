"""A server that says what it likes, as slowly as it likes, and for as long as somebody listens."""

import socket
import threading
import time
from collections.abc import Iterable
from types import TracebackType


class Dripping:
    """Every connection is sent `parts`, with a pause after each; `begun` counts the connections."""

    def __init__(self, parts: Iterable[bytes], pause_s: float = 0.0) -> None:
        self._parts, self._pause_s = list(parts), pause_s
        self.begun = 0

    def __enter__(self) -> "Dripping":
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.begun += 1
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65_536)
                for part in self._parts:
                    connection.sendall(part)
                    time.sleep(self._pause_s)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65_536):
                    pass                # to close before all of a request was read would reset the connection
            except OSError:
                return              # nobody listens any more
