"""What one flow run works with and who watches it.

A run started by a worker builds its own session from settings; one started
by the `vouch` command is handed the command's, with its progress bars.
"""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from flows.shared.components import IngestComponents
from flows.shared.progress import Progress, silent
from vouch.documents.document import RunReport

HELD = "Held"                           # the state of a scheduled run that a rollback holds


def unwatched(report: RunReport) -> None:
    """A listener for step reports when nobody watches; the flow's result holds them all."""


@dataclass(frozen=True)
class Session:
    components: IngestComponents
    progress: Progress = silent
    done: Callable[[RunReport], None] = unwatched


given: ContextVar[Session | None] = ContextVar("given", default=None)
