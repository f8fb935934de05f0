"""The threads that vouch has answered in, or is about to: replies there need not mention it."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from bots.slack.api import SlackApi
from bots.slack.surface import payload_of
from vouch.errors import Denied

_MOST_KEPT = 10_000
_NO_COUNTS_S = 30.0


class JoinedThreads:
    """Slack knows it; what it says is remembered, a no only for a while. Threads may share it."""

    def __init__(self, api: SlackApi, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._clock = clock
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()    # until when it is a no; infinite: a yes
        self._lock = threading.Lock()

    def join(self, channel: str, thread_ts: str) -> None:
        self._remember((channel, thread_ts), float("-inf"))

    def joined(self, channel: str, thread_ts: str) -> bool:
        """Raises SurfaceDown."""
        key = channel, thread_ts
        with self._lock:
            no_until = self._known.get(key)
        if no_until is not None and (no_until == float("-inf") or self._clock() < no_until):
            return no_until == float("-inf")
        found = self._look(channel, thread_ts)
        self._remember(key, float("-inf") if found else self._clock() + _NO_COUNTS_S)
        return found

    def _look(self, channel: str, thread_ts: str) -> bool:
        try:
            told = self._api.pages("conversations.replies", "messages", channel=channel, ts=thread_ts, limit=200,
                                   include_all_metadata=True)
            return any(one.get("user") == self._api.me["user_id"] and payload_of(one) for one in told)
        except Denied:
            return False

    def _remember(self, key: tuple[str, str], until: float) -> None:
        with self._lock:
            self._known[key] = until
            self._known.move_to_end(key)
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
