"""What notices that documents change."""

from collections.abc import Callable, Iterator, Sequence
from threading import Event
from typing import Protocol


class Watch(Protocol):
    """Notices changes of a source's place, for as long as somebody looks."""

    def changes(self, stop: Event, looked: Callable[[], object]) -> Iterator[Sequence[str] | None]:
        """Documents and folders that may have changed, as they do; None for all of the source.

        None comes first, and again when a place that had gone is back. Ends soon
        after `stop` is set. Calls `looked` every few seconds, whatever it finds.
        """
        ...
