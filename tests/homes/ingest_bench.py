"""A home with sources that is ingested directly, with an encoder made of hashes that counts what it is given."""

from pathlib import Path
from typing import Any

from fakes.hashed_models import HashedEncoder
from machines.ledger_place import new_ledger

from composition.log import UNREAD
from flows.ingesting.extent import Extent
from flows.runs.run import ingest_direct
from flows.shared.components import IngestComponents, Limits
from flows.shared.reporting import Progress, silent
from indexers.publishing.index_store import IndexStore
from indexers.search.engines import LexicalEngine
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.embedding_cache import EmbeddingCache
from vouch.adapters.message_log.embedded.trim import LogTrim
from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.sources.events.source import EventsSource
from vouch.adapters.sources.folder.source import FolderSource
from vouch.chunking.document_chunks import chunker_fingerprint
from vouch.documents.document import RunReport
from vouch.errors import ModelDown

TOKENIZER = load_tokenizer()


class CountingEncoder(HashedEncoder):
    """Counts texts; refuses to work once `left` are done, like a machine that goes away."""

    def __init__(self) -> None:
        super().__init__(SnowballAnalyser())
        self.texts: list[str] = []
        self.left = 10**9

    def passages(self, texts):
        if len(self.texts) + len(texts) > self.left:
            raise ModelDown("the encoder is away")
        self.texts.extend(texts)
        return super().passages(texts)


class Bench:
    """A home with sources, and the encoder that counts what it is given."""

    def __init__(self, home: Path) -> None:
        self.home = home
        home.mkdir(exist_ok=True)
        self.encoder = CountingEncoder()
        self.ledger = new_ledger(home / "ledger.sqlite")
        self.sources: dict[str, object] = {}
        self.generations: dict[str, str] = {}       # instead of what the ledger says
        self.lexical: LexicalEngine | None = None
        self.limits = Limits(180, 30, 0.2, 8)
        self.parsing = ParsingLimits()
        self.chunker = chunker_fingerprint(180, 30)

    def folder(self, name: str, root: Path) -> None:
        self.sources[name] = FolderSource(name, root, self.ledger.stat_cache, 1_000_000)

    def events(self, name: str, path: Path) -> None:
        self.sources[name] = EventsSource(name, path, 1_000_000)

    @property
    def components(self) -> IngestComponents:
        store = IndexStore(self.home, self.ledger.versions, SnowballAnalyser(), 120.0, lexical=self.lexical)
        return IngestComponents(
            home=self.home,
            ledger=self.ledger,
            store=store,
            sources=dict(sorted(self.sources.items())),
            fingerprints=store.fingerprints(self.encoder.fingerprint, self.chunker),
            parser=IsolatedParser(lambda: TOKENIZER, limits=self.parsing),
            encoder=lambda: self.encoder,
            vectors=EmbeddingCache(self.home / "embeddings.sqlite", self.encoder.fingerprint, self.encoder.dimensions),
            limits=self.limits,
            messages=LogTrim(self.home / "log.sqlite", UNREAD),
            generations=self.generations or {row.name: row.generation for row in self.ledger.sources.list()},
        )

    def ingest(self, names: list[str] | None = None, **options: Any) -> list[RunReport]:
        reports: list[RunReport] = []
        self.ingest_into(reports, names, **options)
        return reports

    def ingest_into(self, reports: list[RunReport], names: list[str] | None = None, *, progress: Progress = silent,
                    **extent: Any) -> None:
        """The same for a run that fails in the end: `reports` has what it published before."""
        components = self.components
        ingest_direct(components, names or list(components.sources), Extent(**extent), progress=progress,
                      done=reports.append)

    def known(self, source: str) -> dict[str, str]:
        version = self.components.store.open_current()
        return version.known(source) if version else {}
