"""All accounts of a workspace, many in a call: Slack would not let those of a large channel be asked for one by one."""

import logging
import time
from collections.abc import Callable, Mapping, Set
from typing import Any

from bots.slack.api import OddRefusal, SlackApi

FEW = 7                                 # accounts that Slack lets be asked for at each of 13 answers a minute
_IN_A_CALL = 1000
_MOST_CALLS = 10                        # half of what Slack lets be called in a minute
_AGAIN_S = 3600.0                       # a workspace that is too large is counted again after so long
_REFUSED_S = 60.0                       # one that Slack does not list, for a reason that is not known, sooner
_JUDGED = ("is_restricted", "is_ultra_restricted", "is_bot", "is_email_confirmed")

_log = logging.getLogger(__name__)

Row = Mapping[str, Any]


class Everybody:
    """One thread at a time. Knows how many calls a look takes; keeps nothing of the accounts."""

    def __init__(self, api: SlackApi, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._clock = clock
        self._too_many_until = float("-inf")
        self.calls = 1                  # of the last look; one before it

    @property
    def too_many(self) -> bool:
        """Whether the workspace was too large for this within the last hour, or not listed within the last minute."""
        return self._clock() < self._too_many_until

    def rows(self, wanted: Set[str]) -> list[Row]:
        """Of these accounts those of which Slack says enough to judge them by; none where the workspace has too many,
        or Slack does not list them: then they are asked for one by one. Raises SurfaceDown.
        """
        try:
            return self._rows(wanted)
        except OddRefusal as error:
            _log.warning("slack: accounts are not listed: %s", error)
            self._too_many_until = self._clock() + _REFUSED_S
            return []

    def _rows(self, wanted: Set[str]) -> list[Row]:
        found: list[Row] = []
        cursor: str | None = None
        for calls in range(1, _MOST_CALLS + 1):
            told = self._api.call("users.list", limit=_IN_A_CALL, cursor=cursor)
            found += [row for row in told["members"] if row["id"] in wanted and _says_enough(row)]
            cursor = (told.get("response_metadata") or {}).get("next_cursor") or None
            if cursor is None:
                self.calls = calls
                return found
        self._too_many_until = self._clock() + _AGAIN_S
        return []


def _says_enough(row: Row) -> bool:
    """Of any other account Slack says more if it is asked for alone."""
    if row.get("deleted") is True:
        return True
    address = (row.get("profile") or {}).get("email")
    return all(isinstance(row.get(name), bool) for name in _JUDGED) and bool(address or row["is_bot"])
