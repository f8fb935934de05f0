"""Values made at their first use, once, whoever asks first."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

S = TypeVar("S")
T = TypeVar("T")


class Lazy(Generic[T]):
    """`make` runs in one thread while others wait for its value; if it fails, the next caller tries again."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[T] = []

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


class Following(Generic[S, T]):
    """`make` of what `source` gives, made anew whenever that is another object. Threads may share it."""

    def __init__(self, source: Callable[[], S], make: Callable[[S], T]) -> None:
        self._source = source
        self._make = make
        self._made: tuple[S, T] | None = None

    def __call__(self) -> T:
        source, made = self._source(), self._made
        if made is None or made[0] is not source:
            self._made = made = source, self._make(source)
        return made[1]
