"""Who ingests when others say that something has changed."""

from collections.abc import Callable, Sequence
from typing import Protocol


class IngestRunner(Protocol):
    """Has changes ingested, here or elsewhere."""

    def ingest(self, source: str, paths: Sequence[str] | None, stopped: Callable[[], bool]) -> None:
        """Once it returns, the current version has what changed at `paths` of the source (None: anywhere).

        Raises NotFound for a source that does not exist, and Busy, Guarded or
        Unavailable where the same may succeed later; the last of them also soon
        after `stopped` says so.
        """
        ...
