"""What lets the log forget."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Erased:
    """How many messages were deleted, and what cannot be shown to be gone, in words."""

    deleted: int
    unproven: tuple[str, ...] = ()


class LogKeeper(Protocol):
    """Lets go of messages that are old, or that hold words to be forgotten."""

    def expired(self, before_ms: int, dead_before_ms: int) -> int:
        """How many messages `expire` would delete."""
        ...

    def expire(self, before_ms: int, dead_before_ms: int) -> int:
        """Deletes messages sent before then that all their readers have done, and dead ones by a time of their own."""
        ...

    def erase(self, holds: Callable[[bytes], bool]) -> Erased:
        """Deletes messages whose bytes `holds` finds something in, unless they wait to be read."""
        ...

    def scour(self) -> None:
        """Nothing that was deleted is left in files that are ours. Raises Busy."""
        ...
