"""Sees every connection that this process begins, whatever library begins it, and lets only chosen ones through.

Threads that ran before are not looked at: clients of other tests that have not ended connect again and again.
"""

import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

Place = tuple[str, int]


class Connections:
    """`begun` are the places that something tried to connect to; `let` those that it may reach."""

    def __init__(self, let: Collection[Place]) -> None:
        self.let = let
        self.begun: list[Place] = []
        self._others = set(threading.enumerate()) - {threading.current_thread()}

    def see(self, place: Place) -> None:
        """Raises ConnectionRefusedError where it may not be reached."""
        if threading.current_thread() in self._others:
            return
        self.begun.append(place)
        if place not in self.let:
            raise ConnectionRefusedError("the test lets nothing reach this place")


_watching: list[Connections] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "socket.connect" or not _watching or not isinstance(arguments[1], tuple):
        return
    _watching[-1].see((arguments[1][0], arguments[1][1]))


@contextmanager
def watched(*let: Place) -> Iterator[Connections]:
    """Inside, nothing reaches any place but those in `let`."""
    if _hook not in _installed:
        sys.addaudithook(_hook)
        _installed.append(_hook)
    _watching.append(Connections(let))
    try:
        yield _watching[-1]
    finally:
        _watching.pop()


_installed: list[Any] = []
