"""Where documents come from, and what was found there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from vouch.documents.document import Change, Content, Skipped


@dataclass(frozen=True, slots=True)
class Scan:
    """What a source found: net changes in order of path, and the cursor once they are published."""

    changes: tuple[Change, ...]
    skipped: tuple[Skipped, ...]
    cursor: Mapping[str, Any]
    unchanged: int
    more: bool                          # another scan from `cursor` would find more
    notes: tuple[str, ...] = ()         # what a person should know about how the changes were found
    whole: bool = False                 # with what was known before, this is all that stands there now


class Source(Protocol):
    """A place documents come from."""

    @property
    def name(self) -> str: ...

    def scan(
        self,
        known: Mapping[str, str],
        cursor: Mapping[str, Any],
        *,
        step: int | None = None,
        until: int | None = None,
        paths: Sequence[str] | None = None,
    ) -> Scan:
        """Changes since (`known`: path → hash in the version, `cursor`: the version's), folded per path.

        `step`: at most that many events, rounded up so that one commit stays
        whole. `until`: none after the N-th event of the source (of this run,
        for a source without events). `paths`: documents and folders that are
        said to have changed; a source without events looks at nothing else and
        leaves the cursor as it was. Raises BadInput or Unavailable.
        """
        ...

    def skipped(self) -> tuple[Skipped, ...]:
        """All that stands there now and is not read, in order of path. Raises what `scan` raises."""
        ...

    def load(self, change: Change) -> Content:
        """The bytes of an upsert or rename. Raises Unreadable if they are gone or too large, or what `scan` raises
        if it is not this document alone that cannot be read."""
        ...
