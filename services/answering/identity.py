"""What the ledger remembers of who people are: sessions that ended, and groups that were proven."""

import hashlib
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from vouch.adapters.ledger.permissions.access import Access
from vouch.adapters.ledger.permissions.sign_ins import Ended, ProvenGroups


@dataclass(frozen=True)
class EndedInLedger:
    """Implements the Ended of `bots.http.identity.oidc.sessions`. The ledger is told hashes, and no session."""

    marks: Ended
    clock: Callable[[], datetime]

    def end(self, name: str, seconds: float) -> bool:
        return self.marks.end(_mark(name), self.clock() + timedelta(seconds=seconds))

    def is_ended(self, name: str) -> bool:
        return self.marks.is_ended(_mark(name))

    def end_until(self, name: str, until: float) -> None:
        self.marks.end_until(_mark(name), datetime.fromtimestamp(until, UTC))

    def untils(self, names: Collection[str]) -> dict[str, float]:
        by_mark = {_mark(name): name for name in names}
        return {by_mark[mark]: until.timestamp() for mark, until in self.marks.untils(list(by_mark)).items()}


def _mark(name: str) -> str:
    return hashlib.sha256(name.encode(errors="replace")).hexdigest()


_HOUR_S = 3600


@dataclass(frozen=True)
class ProvenInLedger:
    """Implements the GroupNotes of `bots.http.identity.tokens`. They count for so many `hours`, and to the end of the
    last one, so that a person who comes with ever new tokens changes who may read what once an hour at most."""

    access: Access
    proven: ProvenGroups
    hours: float

    def note(self, tag: str, groups: Sequence[str], proven: float) -> bool:
        name = tag.removeprefix("user:")
        if name not in self.access.permissions().directory.people:     # cheap: strangers may be many
            return False
        at = datetime.fromtimestamp(proven, UTC)
        return self.proven.note(name, groups, at, self._until(at))

    def shorten(self) -> None:
        """What was noted while they counted for more hours counts for no more than these either."""
        self.proven.shorten(self._until)

    def _until(self, at: datetime) -> datetime:
        ends = (at + timedelta(hours=self.hours)).timestamp()
        return datetime.fromtimestamp(math.ceil(ends / _HOUR_S) * _HOUR_S, UTC)
