"""What a run works with, built by wiring and passed along, and who watches it.

A run started by a worker builds its own session from settings; one started
by the `vouch` command is handed the command's, with its progress bars.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from flows.shared.reporting import Progress, silent
from indexers.publishing.index_store import Gate, IndexStore
from vouch.adapters.embedding_cache import EmbeddingCache
from vouch.adapters.ledger import Ledger
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.documents.document import RunReport
from vouch.ports.ingestion import Source
from vouch.ports.log import LogKeeper
from vouch.ports.models import Encoder


@dataclass(frozen=True)
class Limits:
    chunk_tokens: int
    chunk_overlap: int
    max_removed_share: float
    batch_documents: int


@dataclass(frozen=True)
class IngestComponents:
    """`encoder` loads the model at its first call; a run that embeds nothing never calls it.

    `parser` starts a process when a document needs one; whoever ingests closes it. `gate` looks at each version before
    it is served, and raises where it must not be.
    """

    home: Path
    ledger: Ledger
    store: IndexStore
    sources: Mapping[str, Source]
    fingerprints: Mapping[str, str]
    parser: IsolatedParser
    encoder: Callable[[], Encoder]
    vectors: EmbeddingCache
    limits: Limits
    messages: LogKeeper
    generations: Mapping[str, str] = field(default_factory=dict)    # of `sources`, as they were when these were made
    gate: Gate | None = None


HELD = "Held"                           # the state of a scheduled run that a rollback holds


def unwatched(report: RunReport) -> None:
    """A listener for step reports when nobody watches; the flow's result holds them all."""


@dataclass(frozen=True)
class Session:
    components: IngestComponents
    progress: Progress = silent
    done: Callable[[RunReport], None] = unwatched


given: ContextVar[Session | None] = ContextVar("given", default=None)
