"""Sees every connection that this process begins, whatever library begins it, and lets only chosen ones through."""

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

Place = tuple[str, int]


class Connections:
    """`begun` are the places that something tried to connect to; `let` those that it may reach."""

    def __init__(self, let: Collection[Place]) -> None:
        self.let = let
        self.begun: list[Place] = []


_watching: list[Connections] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "socket.connect" or not _watching or not isinstance(arguments[1], tuple):
        return
    place = arguments[1][0], arguments[1][1]
    _watching[-1].begun.append(place)
    if place not in _watching[-1].let:
        raise ConnectionRefusedError("the test lets nothing reach this place")


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
