"""Acts are noted with who did them and when; what cannot be noted is not done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from vouch.adapters.ledger import Ledger
from vouch.errors import VouchError


@dataclass(frozen=True)
class NotedActs:
    ledger: Ledger
    clock: Callable[[], datetime]

    @contextmanager
    def __call__(self, by: str, act: str) -> Iterator[None]:
        """What happens within is noted before it begins, and afterwards what became of it."""
        noted = self.ledger.acts.begin(by, act, self.clock())
        try:
            yield
        except VouchError as error:
            self.ledger.acts.end(noted, f"refused: {type(error).__name__}")
            raise
        self.ledger.acts.end(noted, "done")
