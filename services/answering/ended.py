"""Sessions that were ended, remembered in the ledger."""

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from vouch.adapters.ledger.permissions.ended import Ended


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
