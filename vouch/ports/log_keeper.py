"""What lets the log forget."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from vouch.ports.log import Record


@dataclass(frozen=True, slots=True)
class Erased:
    """How many messages were deleted, how many wait to be read first; what cannot be shown to be gone, in words."""

    deleted: int
    waiting: int = 0
    unproven: tuple[str, ...] = ()


class LogKeeper(Protocol):
    """Lets go of messages that are old, or that hold words to be forgotten."""

    def expired(self, before_ms: int, dead_before_ms: int) -> int:
        """How many messages `expire` would delete."""
        ...

    def expire(self, before_ms: int, dead_before_ms: int) -> int:
        """Deletes messages sent before then that all their readers have done, and dead ones by a time of their own."""
        ...

    def erase(self, of_it: Callable[[Record], bool]) -> Erased:
        """Deletes messages that are `of_it`, unless they wait to be read."""
        ...

    def scour(self) -> None:
        """Nothing that was deleted is left in files that are ours. Raises Busy."""
        ...
