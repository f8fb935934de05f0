"""How often somebody may come: each has a store of requests that fills up again with time. Known to this process."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from vouch.errors import Guarded
from vouch.wording import count

_KNOWN = 10_000                         # whoever came longest ago is forgotten first


class Pace:
    """Threads share it. `per_minute` requests at once, and then as many a minute; 0: any number."""

    def __init__(self, per_minute: int, what: str = "request", clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._what, self._clock = per_minute, what, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()       # how many, and when that was
        self._lock = threading.Lock()

    def take(self, who: str) -> None:
        """Raises Guarded, with the time to wait, where nothing is left. What is refused does not count."""
        if not self._most:
            return
        with self._lock:
            now = self._clock()
            left, since = self._left.pop(who, (float(self._most), now))
            left = min(float(self._most), left + (now - since) * self._most / 60)
            self._left[who] = (left - 1 if left >= 1 else left), now
            while len(self._left) > _KNOWN:
                self._left.popitem(last=False)
        if left < 1:
            seconds = max(1, math.ceil((1 - left) * 60 / self._most))
            raise Guarded(f"more than {count(self._most, self._what)} came within a minute",
                          cure=f"come again in {count(seconds, 'second')}")
