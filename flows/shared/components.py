"""What an ingest run works with, built by wiring and passed along."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from indexers.publishing.index_store import Gate, IndexStore
from vouch.adapters.embedding_cache import EmbeddingCache
from vouch.adapters.ledger import Ledger
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.ports.encoder import Encoder
from vouch.ports.log_keeper import LogKeeper
from vouch.ports.source import Source


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
