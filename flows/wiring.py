"""Builds what flows work with. The one place of this room that reads settings."""

from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path

from flows.forgetting import UNREAD
from flows.machines import Limits, Machines
from flows.retention import Retention
from indexers.hnsw import FINGERPRINT, SERVER_GRAPH, GraphSearch, Recipe
from indexers.lexical import EmbeddedEngine, lexical_engine
from indexers.publish import IndexStore, Keep
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.home import open_home
from vouch.adapters.ledger import Ledger, SourceRow, open_ledger
from vouch.adapters.log.trim import LogTrim
from vouch.adapters.models.encoder import FixedShapeEncoder, encoder_dimensions, encoder_fingerprint, load_encoder
from vouch.adapters.models.tokenizer import FastTokenizer, load_tokenizer
from vouch.adapters.parsing.isolated import IsolatedParser
from vouch.adapters.parsing.limits import ParsingLimits
from vouch.adapters.sources.events import EventsSource
from vouch.adapters.sources.folder import FolderSource
from vouch.adapters.sources.git import GitSource, read_place
from vouch.adapters.vector_cache import VectorCache
from vouch.documents.chunking import chunker_fingerprint
from vouch.errors import BadInput, Usage
from vouch.ports.log_keeper import LogKeeper
from vouch.ports.source import Source
from vouch.ports.starter import IngestStarter
from vouch.settings import ElasticVectors, EncoderSettings, FaissVectors, HnswVectors, KafkaLog, Settings, read_settings


def build_machines(settings: Settings | None = None, home: Path | None = None) -> Machines:
    """Machines for the sources of the home; their access rules are brought up to date. No model is loaded.

    With another `home`, state goes there, but vectors stay in the settings' home, to be found again.
    """
    settings = settings or read_settings()
    place = open_home(home or settings.home)
    ledger = open_ledger(settings.ledger.url if settings.ledger.url and home is None else place / "ledger.sqlite")
    watched = WatchedPermissions(ledger.sources, ledger.access)
    watched.refresh()
    rows = ledger.sources.list()
    analyser = SnowballAnalyser()
    chosen = lexical_engine(settings.lexical.model_dump(), settings.vectors.model_dump(), place, analyser, watched)
    lexical = chosen if home is None else EmbeddedEngine()      # what is for a moment stays in its folder
    store = IndexStore(place, ledger.versions, analyser, settings.lexical.reference_length,
                       Keep(settings.index.keep_versions, settings.index.keep_days), lexical)
    model = encoder_settings(settings)
    encoder = encoder_fingerprint(*model)
    chunking = settings.chunking
    return Machines(
        home=place,
        ledger=ledger,
        store=store,
        sources={row.name: build_source(row, ledger, settings) for row in rows},
        fingerprints=store.fingerprints(encoder, chunker_fingerprint(chunking.tokens, chunking.overlap))
        | graph_fingerprints(settings),
        parser=IsolatedParser(_tokenizer(model[0]), model[0], _limits(settings)),
        encoder=load_later(settings),
        vectors=VectorCache(open_home(settings.home) / "embeddings.sqlite", encoder, encoder_dimensions(model[0])),
        limits=Limits(chunking.tokens, chunking.overlap, settings.ingest.max_removed_share,
                      settings.ingest.batch_documents),
        messages=_keeper(settings, place) if home is None else LogTrim(place / "log.sqlite", UNREAD),
        generations={row.name: row.generation for row in rows},
    )


def _keeper(settings: Settings, home: Path) -> LogKeeper:
    if not isinstance(settings.log, KafkaLog):
        return LogTrim(home / "log.sqlite", UNREAD)
    from vouch.adapters.kafka.keeper import KafkaKeeper
    from vouch.adapters.kafka.place import KafkaPlace

    return KafkaKeeper(KafkaPlace(**settings.log.model_dump(exclude={"kind"})))


def graph_fingerprints(settings: Settings) -> dict[str, str]:
    """What the graphs of the settings add to the fingerprints of a version; nothing for exact search."""
    kind = settings.vectors
    if isinstance(kind, ElasticVectors):
        return {FINGERPRINT: SERVER_GRAPH} if kind.approximate else {}
    return Recipe(kind.m, kind.ef_construction).fingerprints if isinstance(kind, HnswVectors) else {}


def graph_search(settings: Settings) -> GraphSearch | None:
    """How to search by graphs, None for exact search."""
    kind = settings.vectors
    if isinstance(kind, FaissVectors) or (isinstance(kind, ElasticVectors) and not kind.approximate):
        return None
    return GraphSearch(kind.ef_search, kind.exact_share)


def build_starter(settings: Settings | None = None) -> IngestStarter:
    """Who ingests changes for others. Raises Usage if that should be Prefect and no server of it is named."""
    from flows.starter import InProcessStarter, PrefectStarter

    settings = settings or read_settings()
    if settings.ingest.starter == "in-process":
        return InProcessStarter(lambda: build_machines(settings))
    need_prefect("VOUCH_INGEST__STARTER is prefect", "set PREFECT_API_URL")
    return PrefectStarter(settings.ingest.deployment)


def need_prefect(why: str, cure: str) -> None:
    """Raises Usage if Prefect's settings, its variables or a profile, name no server."""
    from prefect.settings import get_current_settings

    if get_current_settings().api.url is None:
        raise Usage(f"{why}, and no Prefect server is named", cure=cure)


def build_retention(settings: Settings | None = None) -> Retention:
    """How long the settings say that things are kept."""
    kept = (settings or read_settings()).retention
    return Retention(
        timedelta(days=kept.answers_days), timedelta(days=kept.log_days), timedelta(days=kept.inbox_days)
    )


def build_encoder() -> FixedShapeEncoder:
    """The encoder of the settings of this process, loaded once."""
    return load_later(read_settings())()


def load_later(settings: Settings) -> Callable[[], FixedShapeEncoder]:
    """The encoder of the settings; its first call loads it, later ones in this process find it."""
    return _encoder(*encoder_settings(settings))


def encoder_settings(settings: Settings) -> tuple[Path | None, str, str]:
    """Model folder (None: the one that comes along), dtype and device."""
    encoder: EncoderSettings = settings.encoder
    return Path(encoder.model).expanduser() if encoder.model else None, encoder.dtype, encoder.device


def build_source(row: SourceRow, ledger: Ledger, settings: Settings) -> Source:
    """The source of that row. Raises BadInput for a kind that a newer vouch has made."""
    path, largest = Path(row.path), settings.ingest.max_document_bytes
    if row.kind == "folder":
        return FolderSource(row.name, path, ledger.stat_cache, largest, row.include, row.exclude)
    if row.kind == "git":
        return GitSource(row.name, *read_place(row.path), largest, row.include, row.exclude)
    if row.kind == "events":
        return EventsSource(row.name, path, largest)
    raise BadInput(f"source {row.name} is of kind {row.kind}, which this vouch does not know", cure="update vouch")


def _limits(settings: Settings) -> ParsingLimits:
    return ParsingLimits(**settings.parsing.model_dump(), document_bytes=settings.ingest.max_document_bytes)


@cache
def _tokenizer(model: Path | None) -> Callable[[], FastTokenizer]:
    return cache(lambda: load_tokenizer(model))


@cache
def _encoder(model: Path | None, dtype: str, device: str) -> Callable[[], FixedShapeEncoder]:
    """Loads at the first call, once per process and model."""
    return cache(lambda: load_encoder(model, dtype, device))
