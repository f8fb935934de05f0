"""Where documents come from, what notices changes, what reads and measures them, and who ingests."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Protocol

from vouch.documents.document import Change, Content, Parsed, Skipped


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


class Watch(Protocol):
    """Notices changes of a source's place, for as long as somebody looks."""

    def changes(self, stop: Event, looked: Callable[[], object]) -> Iterator[Sequence[str] | None]:
        """Documents and folders that may have changed, as they do; None for all of the source.

        None comes first, and again when a place that had gone is back. Ends soon
        after `stop` is set. Calls `looked` every few seconds, whatever it finds.
        """
        ...


class Parser(Protocol):
    def parse(self, content: Content) -> Parsed:
        """Raises Unreadable with a reason a person understands."""
        ...


class Tokenizer(Protocol):
    """Counts text in the encoder's tokens, without loading the encoder."""

    @property
    def limit(self) -> int:
        """Most tokens one encoder input may have, special tokens included."""
        ...

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character ranges of the tokens of `text`, in order, special tokens left out."""
        ...

    def count(self, text: str) -> int:
        """How many `spans` of `text` there are, found out faster."""
        ...


class IngestRunner(Protocol):
    """Has changes ingested, here or elsewhere."""

    def ingest(self, source: str, paths: Sequence[str] | None, stopped: Callable[[], bool]) -> None:
        """Once it returns, the current version has what changed at `paths` of the source (None: anywhere).

        Raises NotFound for a source that does not exist, and Busy, Guarded or
        Unavailable where the same may succeed later; the last of them also soon
        after `stopped` says so.
        """
        ...
