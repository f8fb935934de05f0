"""How deep questions of each kind are searched, and what fuses the lists, by the settings alone."""

import logging
from pathlib import Path

from composition.models import encoder_weights
from vouch.adapters.analyser import SnowballAnalyser
from vouch.correction.recipe_file import RecipeFile, load_recipe
from vouch.errors import VouchError
from vouch.ports.fusion import Fusion
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.ranking import Ranking
from vouch.settings import Settings

_log = logging.getLogger(__name__)
UNUSABLE = "the learned fusion of the settings cannot be used"


def fact_ranking(settings: Settings, fused: Fusion | None = None) -> Ranking:
    """For questions that ask for a fact, and for searches; `fused` by that of the settings unless told."""
    chosen = settings.retrieval
    return recipe_of(settings).facts.ranking(
        Ranking(chosen.top, chosen.rerank, chosen.engines, fused or fusion(settings)))


def list_ranking(settings: Settings, fused: Fusion | None = None) -> Ranking:
    """For questions that ask for a list."""
    chosen = settings.retrieval
    return recipe_of(settings).broad.ranking(
        Ranking(chosen.list_top, chosen.list_rerank, chosen.engines, fused or fusion(settings)))


def recipe_of(settings: Settings) -> RecipeFile:
    """Raises Usage for one that is not there, or is wrong."""
    return load_recipe(settings.recipe)


def fusion(settings: Settings) -> Fusion:
    """Reciprocal ranks, unless the settings name a learned fusion that can be used."""
    k = settings.retrieval.rrf_k
    try:
        return learned_fusion(settings) or ReciprocalRanks(k)
    except VouchError as error:
        _log.warning("%s: %s", UNUSABLE, error.cause)
        return ReciprocalRanks(k, UNUSABLE)


def learned_fusion(settings: Settings) -> Fusion | None:
    """None where the settings name none. Raises BadInput, Usage or ModelDown for one that cannot be used."""
    if not settings.fusion.model:
        return None
    from vouch.learning.models.fusion_model import LearnedFusion, load_fusion

    file = Path(settings.fusion.model).expanduser()
    return LearnedFusion(load_fusion(file, encoder_weights(settings)), SnowballAnalyser())
