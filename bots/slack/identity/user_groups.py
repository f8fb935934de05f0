"""User groups of Slack, which people mention together and workspaces keep themselves."""

import logging
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from bots.slack.api import SlackApi
from bots.slack.identity.members_cache import Changes, Untold
from vouch.errors import Denied

_ID = re.compile(r"S[A-Z0-9]{1,40}")
_MOST_KEPT = 200
_log = logging.getLogger(__name__)

Members = frozenset[str]


def is_user_group(text: str) -> bool:
    return _ID.fullmatch(text) is not None


class UserGroups:
    """Threads may share it. What Slack says of a group counts for `seconds`, or until `changes` tells of it, also for
    who asks before Slack has said it: a question comes as two events at once."""

    def __init__(
        self, api: SlackApi, seconds: float, clock: Callable[[], float] = time.monotonic,
        changes: Changes | None = None,
    ) -> None:
        self._api = api
        self._seconds = seconds
        self._clock = clock
        self._changes = changes or Untold()
        self._known: dict[str, tuple[Future[Members], str, float]] = {}     # who, stamp, and until when
        self._lock = threading.Lock()

    def members(self, group: str) -> Members:
        """User ids; nobody where there is no such group, or the app may not ask. Raises SurfaceDown."""
        stamp = self._changes.stamps([group]).get(group, "") if self._seconds else ""
        now, pending = self._clock(), Future[Members]()
        with self._lock:
            known, of, until = self._known.get(group, (pending, stamp, now))
            counts = of == stamp and now < until
            if not counts:
                if len(self._known) >= _MOST_KEPT:
                    self._known.clear()
                self._known[group] = pending, stamp, now + self._seconds
        if counts:
            return known.result()
        self._ask(group, pending)
        return pending.result()

    def _ask(self, group: str, told: Future[Members]) -> None:
        """A failure is told to who waits for it, and not kept."""
        try:
            told.set_result(self._members(group))
        except BaseException as error:
            with self._lock:
                if group in self._known and self._known[group][0] is told:
                    del self._known[group]
            told.set_exception(error)

    def _members(self, group: str) -> Members:
        try:
            return frozenset(str(user) for user in self._api.call("usergroups.users.list", usergroup=group)["users"])
        except Denied as error:
            _log.warning("slack: user group %s counts as empty: %s", group, error)
            return frozenset()
