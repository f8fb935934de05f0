"""Builds what trains models, checks that they leak nothing, and lets them serve."""

import json
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

from composition import models
from composition.learning import label_rules, open_drift
from composition.model_registry.registered import check_registered
from composition.model_registry.registry import Registry
from composition.model_registry.serving import recipe_of
from composition.storage import open_home_and_ledger, open_live_index, open_storage
from flows.shared.shadows import Shadows
from flows.training.finding import Finder
from flows.training.kept_searches import HomeKeeper
from flows.training.leakage_check import TwoWorlds
from flows.training.promotion import BY, Registrar
from flows.training.retraining import TrainingComponents, TrainingRules
from flows.wiring.ingesting import build_temporary_components
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.data_files.golden_questions import read_golden
from vouch.adapters.ledger import Ledger
from vouch.errors import BadInput
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion
from vouch.learning.training.retraining import Least
from vouch.learning.training.weighing import Shares
from vouch.settings import Settings, read_settings


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
        shares=Shares(settings.labels.person_share, settings.labels.day_share, settings.labels.propensity_clip,
                      settings.labels.judge_share, contradiction=settings.labels.contradiction),
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
    """Those that no model may make worse. Raises BadInput, which names the setting, for a file that cannot be read."""
    file = settings.training.golden
    try:
        return list(read_golden(Path(file).expanduser())) if file else ()
    except BadInput as error:
        raise BadInput(f"VOUCH_TRAINING__GOLDEN: {error.cause}", cure=error.cure) from error


def build_worlds(settings: Settings, home: Path) -> TwoWorlds:
    """Their homes are made in `home`, and deleted again."""
    return TwoWorlds(lambda folder: build_temporary_components(settings, folder), SnowballAnalyser(), home)


def build_registrar(settings: Settings | None = None, by: str = BY) -> Registrar:
    """Who lets trained models shadow and serve."""
    settings = settings or read_settings()
    _, ledger = open_home_and_ledger(settings)
    shadows = Shadows(ledger, settings.shadow.answers, settings.shadow.hours)
    automatic = settings.training.promote == "automatic"
    return Registrar(ledger, shadows, partial(check_registered, settings), lambda: _fingerprint(settings, ledger),
                     automatic, by)


def training_seed() -> int:
    """Of the scheduled trainings."""
    return read_settings().training.seed


def _fingerprint(settings: Settings, ledger: Ledger) -> str:
    fusion = _serving_fusion(settings, ledger)
    return fusion.fingerprint if fusion else ""


def _serving_fusion(settings: Settings, ledger: Ledger) -> FusionModel | None:
    """None: reciprocal ranks. A shadow that takes turns with it does not count."""
    alone = settings.model_copy(update={"shadow": settings.shadow.model_copy(update={"interleave": False})})
    fusion = Registry(alone, ledger.models)().fusion
    return fusion.model if isinstance(fusion, LearnedFusion) else None
