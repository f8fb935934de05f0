"""A file that would stop, stall or swell a careless reader, and the simplest ways to make one."""

import random
from collections.abc import Callable
from dataclasses import dataclass

MB = 1_000_000


@dataclass(frozen=True)
class Bite:
    """A file name, its bytes at a size between 0 and 1 of the full one, and what must become of it.

    `outcome`: words of the reason, "" if it must be indexed, None if either will do.
    """

    name: str
    make: Callable[[float], bytes]
    outcome: str | None = None


def fixed(data: bytes) -> Callable[[float], bytes]:
    return lambda share: data


def times(unit: str, count: int, before: str = "", after: str = "") -> Callable[[float], bytes]:
    return lambda share: (before + unit * int(count * share) + after).encode()


def noise(share: float) -> bytes:
    return random.Random(7).randbytes(int(200_000 * max(share, 0.1)))


def deep(tag: str, depth: int = 20_000) -> Callable[[float], bytes]:
    """Always the full depth: it costs little, and less of it would not bite."""
    return lambda share: f"<{tag}>".encode() * depth + b"the words at the bottom" + f"</{tag}>".encode() * depth


def stairs(mark: str, size: int) -> Callable[[float], bytes]:
    def make(share: float) -> bytes:
        lines, length = list[str](), 0
        while length < size * share:
            lines.append("  " * len(lines) + f"{mark}word\n")
            length += len(lines[-1])
        return "".join(lines).encode()

    return make
