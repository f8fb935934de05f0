"""A proxy between a ledger and its PostgreSQL that loses the connection, or falls silent, around a commit."""

import contextlib
import socket
from collections.abc import Iterator
from typing import Literal

from servers.proxy import Proxy

COMMIT = b"COMMIT\0"
Moment = Literal["never", "before", "behind", "silent"]


class CommitProxy(Proxy):
    """At the next COMMIT the connection is lost, `before` the server hears of it or `behind` its deed, or falls silent.

    Silent means that neither end hears of the other until the client gives up.
    """

    def __init__(self, target: int) -> None:
        super().__init__(target)
        self.at: Moment = "never"
        self.after = 0                              # so many commits pass before that
        self._unheard: set[socket.socket] = set()   # servers whose next words are lost, and the connection with them

    def _hand_on(self, source: socket.socket, sink: socket.socket, data: bytes, *, asks: bool) -> None:
        moment = self._moment() if asks and COMMIT in data else "never"
        if moment == "before" or source in self._unheard:
            raise ConnectionResetError
        if moment == "silent":
            while source.recv(1 << 16):
                pass
            raise ConnectionResetError
        if moment == "behind":
            self._unheard.add(sink)
        super()._hand_on(source, sink, data, asks=asks)

    def _moment(self) -> Moment:
        if self.at == "never":
            return "never"
        if self.after:
            self.after -= 1
            return "never"
        moment, self.at = self.at, "never"
        return moment


@contextlib.contextmanager
def proxy(port: int) -> Iterator[CommitProxy]:
    with CommitProxy(port) as between:
        yield between
