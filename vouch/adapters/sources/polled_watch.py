"""Watches what one look tells: the commit a branch points at, the state of a file of events."""

import threading
from collections.abc import Callable, Iterator, Sequence

from vouch.errors import VouchError


class PolledWatch:
    """Implements ports.Watch. `look` gives another value after each change, and raises while the place is away.

    Without `tell_first` what the first look finds is no change.
    """

    def __init__(
        self, look: Callable[[], object], tell: Callable[[str], None], *, every_s: float = 2.0, tell_first: bool = True
    ) -> None:
        self._tell_first = tell_first
        self._look = look
        self._tell = tell
        self._every_s = every_s

    def changes(self, stop: threading.Event, looked: Callable[[], object]) -> Iterator[Sequence[str] | None]:
        known: object = None
        said = ""
        while not stop.is_set():
            looked()
            try:
                found, reason = self._look(), ""
            except (VouchError, OSError) as error:
                found, reason = None, str(error)
            if reason and reason != said:
                self._tell(f"{reason}; waiting")
            elif found is not None and found != known and (known is not None or self._tell_first):
                yield None
            known, said = found, reason
            stop.wait(self._every_s)
