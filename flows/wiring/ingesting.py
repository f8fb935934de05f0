"""Builds what an ingest works with, and who starts one."""

from dataclasses import replace
from pathlib import Path

from composition import models
from composition.log import embedded_keeper, open_keeper
from composition.model_registry.registry import Registry
from composition.model_registry.serving import fact_ranking, reranker_of
from composition.sources import open_source
from composition.storage import Storage, graph_fingerprints, open_storage, open_temporary_storage
from flows.ingesting.guards import GoldenGate
from flows.shared.components import IngestComponents, Limits
from flows.shared.home_files.golden_file import golden_file
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.embedding_cache import EmbeddingCache
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.models.encoder import FixedShapeEncoder, encoder_dimensions
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.chunking.document_chunks import chunker_fingerprint
from vouch.chunking.papers import OVERLAP, SIZE
from vouch.errors import Usage
from vouch.extras import require
from vouch.ports.ingestion import IngestRunner
from vouch.ports.log import LogKeeper
from vouch.retrieval.ranking import Ranking
from vouch.retrieval.recipe.step import RankingModels
from vouch.settings import Settings, read_settings


def build_components(settings: Settings | None = None) -> IngestComponents:
    """Components for the sources of the home; their access rules are brought up to date. No model is loaded."""
    settings = settings or read_settings()
    storage = open_storage(settings)
    made = _components(settings, storage, open_keeper(settings, storage.home))
    return replace(made, gate=_golden_gate(settings, storage))


def build_temporary_components(settings: Settings, folder: Path) -> IngestComponents:
    """The same on a folder that is deleted afterwards; vectors stay in the settings' home, to be found again."""
    storage = open_temporary_storage(settings, folder)
    return _components(settings, storage, embedded_keeper(storage.home))


def _components(settings: Settings, storage: Storage, keeper: LogKeeper) -> IngestComponents:
    storage.permissions.refresh()
    rows = storage.ledger.sources.list()
    encoder, folder = models.encoder_fingerprint(settings), models.model_folder(settings)
    profile = settings.chunking.profile
    size, overlap = (SIZE, OVERLAP) if profile == "papers" else (settings.chunking.tokens, settings.chunking.overlap)
    return IngestComponents(
        home=storage.home,
        ledger=storage.ledger,
        store=storage.index,
        sources={row.name: open_source(row, storage.ledger, settings) for row in rows},
        fingerprints=storage.index.fingerprints(encoder, chunker_fingerprint(size, overlap, profile))
        | graph_fingerprints(settings),
        parser=IsolatedParser(models.tokenizer(settings), folder, _limits(settings), profile),
        encoder=models.encoder(settings),
        vectors=EmbeddingCache(open_home(settings.home) / "embeddings.sqlite", encoder, encoder_dimensions(folder)),
        limits=Limits(size, overlap, settings.ingest.max_removed_share,
                      settings.ingest.batch_documents),
        messages=keeper,
        generations={row.name: row.generation for row in rows},
    )


def _golden_gate(settings: Settings, storage: Storage) -> GoldenGate | None:
    """Its models are loaded when it first has something to compare."""
    loss = settings.ingest.golden_loss
    if loss is None:
        return None

    def ranked() -> tuple[RankingModels, Ranking]:
        serving = Registry(settings, storage.ledger.models)()
        # Not as for an answer: a language model words the same question differently each time, which would show as a
        # loss between two versions, and would be paid for at every ingest. The rules word it in its place.
        loaded = RankingModels(models.encoder(settings)(), reranker_of(serving, settings), SnowballAnalyser(), None)
        return loaded, fact_ranking(settings, serving.fusion)

    return GoldenGate(storage.index, storage.permissions.permissions, ranked, golden_file(storage.home), loss)


def build_encoder() -> FixedShapeEncoder:
    """The encoder of the settings of this process, loaded once."""
    return models.encoder(read_settings())()


def build_starter(settings: Settings | None = None) -> IngestRunner:
    """Who ingests changes for others. Raises Usage if that should be Prefect and no server of it is named."""
    from flows.runs.runner import DirectRunner, PrefectRunner

    settings = settings or read_settings()
    if settings.ingest.starter == "in-process":
        return DirectRunner(lambda: build_components(settings))
    need_prefect("VOUCH_INGEST__STARTER=prefect", "set PREFECT_API_URL")
    return PrefectRunner(settings.ingest.deployment)


def need_prefect(why: str, cure: str) -> None:
    """Raises Usage if Prefect is not installed, or its settings, its variables or a profile, name no server."""
    require("prefect", why)
    from prefect.settings import get_current_settings

    if get_current_settings().api.url is None:
        raise Usage(f"{why} is given, and no Prefect server is named", cure=cure)


def _limits(settings: Settings) -> ParsingLimits:
    return ParsingLimits(**settings.parsing.model_dump(), document_bytes=settings.ingest.max_document_bytes)
