"""The numbers of versions, and the pointer to the current one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version as the ledger knows it; `state` is building, published, retired or abandoned."""

    number: int
    parent: int | None
    state: str
    created_at: datetime


class VersionStore(Protocol):
    """Numbers and the pointer; the files are the indexers'."""

    def allocate(self, parent: int | None) -> VersionRow:
        """A number never given before, in state building."""
        ...

    def current(self) -> int | None: ...

    def swap(self, expected: int | None, new: int, *, despite_hold: bool = False) -> None:
        """Moves the pointer from `expected` to `new`, which becomes published.

        Raises Conflict if it was elsewhere, and Held while a rollback is in
        force, unless `despite_hold`.
        """
        ...

    def roll_back(self, expected: int | None, new: int, content_of: int) -> None:
        """Like `swap`, and in the same moment a hold is in force, in place of any other."""
        ...

    def abandon(self, number: int) -> None:
        """A version never published never will be."""
        ...

    def retire(self, number: int) -> None:
        """A published version that is not current gives up its files. Raises Usage for any other."""
        ...

    def rows(self) -> list[VersionRow]:
        """All versions, oldest first."""
        ...
