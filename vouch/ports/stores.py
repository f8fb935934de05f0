"""What is kept: the numbers of versions with the pointer to the current one, and the permissions in force."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from vouch.access import Limits, Permissions
from vouch.rules import RuleBook


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version as the ledger knows it; `state` is building, published, retired or abandoned.

    `content_of` says of a source as of which version its documents are, if
    that is another one; "" stands for all sources that are not named.
    """

    number: int
    parent: int | None
    state: str
    created_at: datetime
    content_of: Mapping[str, int] = field(default_factory=dict)

    def age(self, source: str) -> int:
        """The version as of which the documents of `source` are."""
        return self.content_of.get(source, self.content_of.get("", self.number))


@dataclass(frozen=True, slots=True)
class Restored:
    """A version that has the documents of the earlier one `content_of`; `limits` are theirs by place.

    None: no document is limited, those included that were limited until now.
    """

    content_of: int
    limits: Mapping[tuple[str, str], Limits] | None


class VersionStore(Protocol):
    """Numbers and the pointer; the files are the indexers'."""

    def allocate(self, parent: int | None) -> VersionRow:
        """A number never given before, in state building."""
        ...

    def current(self) -> int | None: ...

    def swap(
        self, expected: int | None, new: int, *, despite_hold: bool = False, restored: Restored | None = None
    ) -> None:
        """Moves the pointer from `expected` to `new`, which becomes published.

        Its documents are of the age of those of `expected`, unless `restored`;
        then its limits are in force from the same moment on.

        Raises Conflict if it was elsewhere, and Held while a rollback is in
        force, unless `despite_hold`.
        """
        ...

    def roll_back(self, expected: int | None, new: int, restored: Restored) -> None:
        """Like `swap`, and in the same moment a hold is in force, in place of any other."""
        ...

    def abandon(self, number: int) -> None:
        """A version never published never will be."""
        ...

    def retire(self, number: int) -> None:
        """A published version that is not current gives up its files. Raises Usage for any other."""
        ...

    def former_rules(self, number: int) -> Mapping[str, tuple[RuleBook, ...] | None] | None:
        """Of each source there was when that version ceased to be the current one: rules that all had to allow.

        None for a source: nobody could read it. None as a whole: it is not
        known, for the version is current, never was, or is no longer kept.
        """
        ...

    def rows(self) -> list[VersionRow]:
        """All versions, oldest first."""
        ...


class PermissionStore(Protocol):
    def permissions(self) -> Permissions:
        """The rules, memberships and epoch in force now."""
        ...
