"""What people do not find, for whoever looks after the documents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.monitoring.gap_run import GapComponents, gap_rows
from flows.shared.progress import Progress, silent
from vouch.access import Permissions


@dataclass(frozen=True)
class GapService:
    components: GapComponents
    clock: Callable[[], datetime]

    def permissions(self) -> Permissions:
        return self.components.permissions.permissions()

    def report(
        self, tags: Sequence[str], *, weeks: int | None = None, owner: str | None = None, progress: Progress = silent
    ) -> dict[str, Any]:
        """The object of `vouch gaps --json`. Documents are those that all readers named by `tags` may read.

        With an `owner`, gaps near that owner's documents, as that owner may read them.
        """
        return gap_rows(self.components, tags, self.clock(), weeks=weeks, owner=owner, progress=progress)
