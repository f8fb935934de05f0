"""Values kept in memory for a while, the oldest given up first."""

import threading
import time
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Expiring(Generic[T]):
    """At most `most` values, each for `seconds`. For several threads."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._turn = threading.Lock()
        self._held: OrderedDict[str, tuple[float, T]] = OrderedDict()

    def get(self, key: str) -> T | None:
        with self._turn:
            found = self._held.get(key)
            if found is None or time.monotonic() - found[0] >= self._seconds:
                return None
            return found[1]

    def put(self, key: str, value: T) -> None:
        with self._turn:
            self._held.pop(key, None)
            self._held[key] = time.monotonic(), value
            while len(self._held) > self._most:
                self._held.popitem(last=False)
