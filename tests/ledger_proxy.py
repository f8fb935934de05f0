"""A proxy between a ledger and its PostgreSQL that loses the connection, or falls silent, around a commit."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Literal

COMMIT = b"COMMIT\0"
Moment = Literal["never", "before", "behind", "silent"]


class Proxy:
    """At the next COMMIT the connection is lost, `before` the server hears of it or `behind` its deed, or falls silent.

    Silent means that neither end hears of the other until the client gives up.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.at: Moment = "never"
        self.after = 0                          # so many commits pass before that
        self.open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        _shut(self._listening, *self.open)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                self.open += [client, server]
                done = threading.Event()                # the server's next words are lost, and the connection with them
                for carry in (self._ask, self._answer):
                    threading.Thread(target=carry, args=(client, server, done), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, done: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65_536):
                moment: Moment = "never"
                if COMMIT in data and self.at != "never":
                    if self.after:
                        self.after -= 1
                    else:
                        moment, self.at = self.at, "never"
                if moment == "before":
                    break
                if moment == "silent":
                    while client.recv(65_536):
                        pass
                    break
                if moment == "behind":
                    done.set()
                server.sendall(data)
        _shut(client, server)

    def _answer(self, client: socket.socket, server: socket.socket, done: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while (data := server.recv(65_536)) and not done.is_set():
                client.sendall(data)
        _shut(client, server)


def _shut(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


@contextlib.contextmanager
def proxy(port: int) -> Iterator[Proxy]:
    between = Proxy(port)
    try:
        yield between
    finally:
        between.close()
