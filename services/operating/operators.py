"""Who operators are, and the note of who did what and when; what cannot be noted is not done."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from vouch.access import PUBLIC
from vouch.adapters.ledger import Ledger
from vouch.errors import VouchError
from vouch.ports.stores import PermissionStore


@dataclass(frozen=True)
class Operators:
    """The people of one group, and nobody without one."""

    permissions: PermissionStore
    group: str

    def is_one(self, reader: str) -> bool:
        return _is_of(self.permissions, reader, {self.group} - {""})


@dataclass(frozen=True)
class Announcers:
    """The people named, and those of the groups named."""

    permissions: PermissionStore
    tags: Collection[str]

    def is_one(self, reader: str) -> bool:
        return _is_of(self.permissions, reader, set(self.tags) - {PUBLIC})


def _is_of(permissions: PermissionStore, reader: str, tags: set[str]) -> bool:
    if not tags or not reader.startswith("user:"):
        return False
    (found,) = permissions.permissions().directory.audience([reader]).readers
    return not tags.isdisjoint(found.principals)


RELEASE = "release of ingests"


def rollback_act(number: int, *, hide: bool = False, allow_widening: bool = False) -> str:
    """As it is noted, wherever it was done."""
    how = ", hiding what was narrowed" if hide else ", showing what was narrowed" if allow_widening else ""
    return f"rollback to version {number}{how}"


def replay_act(message: str) -> str:
    return f"replay of {message}"


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
