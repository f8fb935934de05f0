"""How deep questions of each kind are searched, by the settings."""

from vouch.retrieval.fusion import ReciprocalRanks
from vouch.retrieval.ranking import Ranking
from vouch.settings import Settings


def fact_ranking(settings: Settings) -> Ranking:
    """For questions that ask for a fact, and for searches."""
    chosen = settings.retrieval
    return Ranking(chosen.top, chosen.rerank, ReciprocalRanks(chosen.rrf_k))


def list_ranking(settings: Settings) -> Ranking:
    """For questions that ask for a list."""
    chosen = settings.retrieval
    return Ranking(chosen.list_top, chosen.list_rerank, ReciprocalRanks(chosen.rrf_k))
