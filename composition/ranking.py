"""What puts passages in order, for answers and for all who rank as they do."""

from collections.abc import Callable

from composition import models
from composition.language_model import language_models, suggester
from composition.lazy import Lazy
from composition.model_registry.serving import Serving, reranker_of
from vouch.adapters.analyser import SnowballAnalyser
from vouch.retrieval.recipe.step import RankingModels
from vouch.settings import Settings


def ranking_models(
    settings: Settings, serving: Callable[[], Serving], *, asks: bool = True
) -> Callable[[], RankingModels]:
    """Those that serve at each call. Where the recipe asks for words, the language model of the settings gives them, or
    rules, where nobody is to pay for a search.
    """
    suggests = Lazy(lambda: suggester(language_models(settings)) if asks else None)
    return lambda: RankingModels(
        models.encoder(settings)(), reranker_of(serving(), settings), SnowballAnalyser(), suggests())
