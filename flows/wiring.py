"""Builds what flows work with. The one place of this package that reads settings."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path

from composition import models
from composition.learning import label_rules, open_drift
from composition.log import embedded_keeper, open_keeper
from composition.model_registry.registered import Fitting, check_registered
from composition.model_registry.registry import Registry
from composition.model_registry.serving import fact_ranking, recipe_of, reranker_of
from composition.owners import DocumentOwners, owner_tags, people_of
from composition.sources import open_source
from composition.storage import (
    Storage,
    graph_fingerprints,
    open_home_and_ledger,
    open_live_index,
    open_permissions,
    open_storage,
    open_temporary_storage,
)
from flows.ingesting.guards import GoldenGate
from flows.monitoring.digest import OwnerLists
from flows.monitoring.gap_run import GapComponents
from flows.monitoring.model_guard import GuardLimits, Owners
from flows.runs.retention import Retention
from flows.shared.components import IngestComponents, Limits
from flows.shared.home_files.golden_file import golden_file
from flows.shared.shadows import Shadows
from flows.training.finding import Finder
from flows.training.kept_searches import HomeKeeper
from flows.training.leakage_check import TwoWorlds
from flows.training.promotion import Registrar
from flows.training.retraining import TrainingComponents, TrainingRules
from indexers.reader import LiveIndex
from vouch.access import Directory
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.clustering import density_clusters
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.adapters.embedding_cache import EmbeddingCache
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.going_back import Fits
from vouch.adapters.models.encoder import FixedShapeEncoder, encoder_dimensions
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.chunking.document_chunks import chunker_fingerprint
from vouch.chunking.papers import OVERLAP, SIZE
from vouch.errors import Usage
from vouch.extras import need
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.drift.drift_look import DriftLook
from vouch.learning.gaps.gap import GapLimits
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion
from vouch.learning.training.retraining import Least
from vouch.learning.training.training_split import Shares
from vouch.ports.ingestion import IngestRunner
from vouch.ports.log import LogKeeper
from vouch.retrieval.fusion import ReciprocalRanks
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
    papers = settings.chunking.profile == "papers"
    size, overlap = (SIZE, OVERLAP) if papers else (settings.chunking.tokens, settings.chunking.overlap)
    return IngestComponents(
        home=storage.home,
        ledger=storage.ledger,
        store=storage.index,
        sources={row.name: open_source(row, storage.ledger, settings) for row in rows},
        fingerprints=storage.index.fingerprints(encoder, chunker_fingerprint(size, overlap, papers=papers))
        | graph_fingerprints(settings),
        parser=IsolatedParser(models.tokenizer(settings), folder, _limits(settings), papers=papers),
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
        loaded = RankingModels(models.encoder(settings)(), reranker_of(serving, settings), SnowballAnalyser())
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


def build_training(settings: Settings | None = None) -> TrainingComponents:
    """What a training works with. Models are loaded by what needs them."""
    settings = settings or read_settings()
    storage, rules = open_storage(settings), settings.training
    finder = Finder(open_live_index(settings, storage), storage.permissions.permissions, models.encoder(settings),
                    SnowballAnalyser(), settings.retrieval.top)
    return TrainingComponents(
        home=storage.home,
        ledger=storage.ledger,
        finder=finder,
        rules=TrainingRules(
            Least(rules.questions, rules.held_out, rules.askers, rules.labels, rules.loss), rules.public_only,
            rules.weeks_held_out, partial(golden_questions, settings), rules.golden_readers,
            rules.answers,
        ),
        shares=Shares(settings.labels.person_share, settings.labels.day_share, settings.labels.propensity_clip),
        labels=label_rules(settings),
        worlds=build_worlds(settings, storage.home),
        made_with=lambda: {"encoder": models.encoder_fingerprint(settings), "weights": models.encoder_weights(settings),
                           "analyser": SnowballAnalyser().fingerprint},
        current=lambda: _serving_fusion(settings, storage.ledger),
        keeper=HomeKeeper(storage.home, partial(_found_with, settings)),
        drift=open_drift(settings, storage.ledger),
    )


def _found_with(settings: Settings) -> str:
    """Equal as long as the same questions find the same, with the same features."""
    decisive = {"encoder", "chunking", "lexical", "vectors", "retrieval"}
    return json.dumps([
        version("vouch"), models.encoder_fingerprint(settings), models.encoder_weights(settings),
        SnowballAnalyser().fingerprint, settings.model_dump(mode="json", include=decisive), repr(recipe_of(settings)),
    ])


def golden_questions(settings: Settings) -> Sequence[GoldenQuestion]:
    """Those that no model may make worse. Raises BadInput or Usage for a file that cannot be read."""
    file = settings.training.golden
    return list(read_golden(Path(file).expanduser())) if file else ()


def build_worlds(settings: Settings, home: Path) -> TwoWorlds:
    """Their homes are made in `home`, and deleted again."""
    return TwoWorlds(lambda folder: build_temporary_components(settings, folder), SnowballAnalyser(), home)


def build_registrar(settings: Settings | None = None) -> Registrar:
    """Who lets trained models shadow and serve."""
    settings = settings or read_settings()
    _, ledger = open_home_and_ledger(settings)
    shadows = Shadows(ledger, settings.shadow.answers, settings.shadow.hours)
    automatic = settings.training.promote == "automatic"
    return Registrar(ledger, shadows, partial(check_registered, settings), automatic)


def training_seed() -> int:
    """Of the scheduled trainings."""
    return read_settings().training.seed


def _serving_fusion(settings: Settings, ledger: Ledger) -> FusionModel | None:
    """None: reciprocal ranks. A shadow that takes turns with it does not count."""
    alone = settings.model_copy(update={"shadow": settings.shadow.model_copy(update={"interleave": False})})
    fusion = Registry(alone, ledger.models)().fusion
    return fusion.model if isinstance(fusion, LearnedFusion) else None


def need_prefect(why: str, cure: str) -> None:
    """Raises Usage if Prefect is not installed, or its settings, its variables or a profile, name no server."""
    need("prefect", why)
    from prefect.settings import get_current_settings

    if get_current_settings().api.url is None:
        raise Usage(f"{why} is given, and no Prefect server is named", cure=cure)


def build_retention(settings: Settings | None = None) -> Retention:
    """How long the settings say that things are kept."""
    settings = settings or read_settings()
    kept = settings.retention
    answers = timedelta(days=kept.answers_days)
    reports = max(timedelta(0), answers - timedelta(weeks=settings.gaps.weeks))     # of questions that old already
    return Retention(answers, timedelta(days=kept.log_days), timedelta(days=kept.inbox_days), reports,
                     timedelta(days=kept.evaluations_days))


def build_gap_components(settings: Settings | None = None) -> GapComponents:
    """What finds gaps, on the settings' home. No model is loaded."""
    settings = settings or read_settings()
    storage = open_storage(settings)
    return gap_components(settings, storage, open_live_index(settings, storage))


def gap_components(settings: Settings, storage: Storage, index: LiveIndex) -> GapComponents:
    """The same over what is open already."""
    gaps = settings.gaps
    return GapComponents(
        home=storage.home,
        ledger=storage.ledger,
        index=index,
        permissions=storage.permissions,
        encoder=models.encoder(settings),
        analyser=SnowballAnalyser(),
        cluster=density_clusters,
        limits=GapLimits(gaps.fewest_askers, gaps.fewest_questions, gaps.alike),
        weeks=gaps.weeks,
        low_confidence=gaps.low_confidence,
        owners=DocumentOwners(index, storage.permissions),
        old_days=gaps.old_days,
    )


def build_owners(settings: Settings | None = None) -> OwnerLists:
    """Who gets the daily digest: people of the settings and, of groups, those whom the directory has in them."""
    settings = settings or read_settings()
    tags = owner_tags(settings)

    def people(directory: Directory, now: datetime) -> list[str]:
        named = (tag if tag.startswith("user:") else people_of(directory, tag, now) for tag in tags)
        return list(dict.fromkeys(one for part in named for one in ([part] if isinstance(part, str) else part)))

    return people


def build_drift(ledger: Ledger, settings: Settings | None = None) -> DriftLook:
    """What compares the answers of now with those of the reference."""
    return open_drift(settings or read_settings(), ledger)


def build_guard(settings: Settings | None = None) -> tuple[Ledger, Mapping[str, str], GuardLimits, Fits, Owners]:
    """The ledger, what answers call the models that come with vouch, when another gives way to the former, which can
    be used, and who is told."""
    settings = settings or read_settings()
    _, ledger = open_home_and_ledger(settings)
    guard = settings.guard
    limits = GuardLimits(
        guard.enabled, guard.false_alarms, guard.tolerance, guard.baseline, guard.fewest, guard.per_person
    )
    shipped = {"fusion": ReciprocalRanks().name, "evaluator": load_evaluator().fingerprint}
    permissions = open_permissions(settings, ledger)

    def owners(now: datetime) -> Sequence[str]:
        return build_owners(settings)(permissions.permissions().directory, now)

    return ledger, shipped, limits, Fitting(settings, ledger.models), owners


def _limits(settings: Settings) -> ParsingLimits:
    return ParsingLimits(**settings.parsing.model_dump(), document_bytes=settings.ingest.max_document_bytes)
