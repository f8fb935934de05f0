"""A TCP proxy that stands in front of a server: slow, in pieces, silent or resetting, as a test tells it."""

import contextlib
import itertools
import socket
import struct
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Literal, Self

from servers.process import free_port

Mood = Literal["passes", "late", "sliced", "hangs", "resets"]
MOODS: tuple[Mood, ...] = ("late", "sliced", "hangs", "resets")
LATE_S = 0.15
_PIECES = (1, 7, 113, 1, 1999)          # bytes: what a reader that trusts one recv for one message falls over
_RESET = struct.pack("ii", 1, 0)        # lingers for no time: the system sends a reset


class Proxy:
    """Listens at `port` and hands on to the port `target` of loopback. `mood` may be changed at any time."""

    def __init__(self, target: int, port: int | None = None) -> None:
        self.port, self.target = port or free_port(), target
        self.mood: Mood = "passes"
        self.passed = 0                 # bytes, in both directions
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", self.port))

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._listening.close()
        self.mood = "passes"
        self._reset_all()

    @contextlib.contextmanager
    def being(self, mood: Mood) -> Iterator[None]:
        """In that mood inside, and passing again afterwards."""
        self.mood = mood
        if mood == "resets":
            self._reset_all()
        try:
            yield
        finally:
            self.mood = "passes"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                asking, _ = self._listening.accept()
                threading.Thread(target=self._connect, args=(asking,), daemon=True).start()

    def _connect(self, asking: socket.socket) -> None:
        self._open.add(asking)
        if self.mood == "resets":
            self._reset(asking)
            return
        try:
            answering = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            self._reset(asking)
            return
        self._open.add(answering)
        for ends in ((asking, answering, True), (answering, asking, False)):
            threading.Thread(target=self._pump, args=ends, daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, asks: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                self._hand_on(source, sink, data, asks=asks)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                self._reset(end)

    def _hand_on(self, source: socket.socket, sink: socket.socket, data: bytes, *, asks: bool) -> None:
        """`asks`: the data come from who opened the connection. An OSError loses it."""
        while self.mood == "hangs":
            time.sleep(0.02)
        if self.mood == "late":
            time.sleep(LATE_S)
        start, sizes = 0, itertools.cycle(_PIECES)
        while start < len(data):
            end = start + next(sizes) if self.mood == "sliced" else len(data)
            sink.sendall(data[start:end])
            start = end
        self.passed += len(data)

    def _reset_all(self) -> None:
        for end in list(self._open):
            self._reset(end)

    def _reset(self, end: socket.socket) -> None:
        self._open.discard(end)
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            end.shutdown(socket.SHUT_RDWR)
        end.close()
