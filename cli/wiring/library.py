"""What the HTTP service searches with: all models, or words alone in a process that holds none."""

from typing import NoReturn

from composition import models
from composition.ranking import fact_ranking
from composition.serving import reranker_of
from consumers.wiring.components import WorkerComponents
from services.answering.search import SearchService
from vouch.adapters.analyser import SnowballAnalyser
from vouch.errors import Usage
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import Settings


def open_library(settings: Settings, parts: WorkerComponents, *, works: bool) -> SearchService:
    """One that `works` holds models, which are loaded when they are needed."""
    return SearchService(
        index=parts.index, watched=parts.watched, analyser=SnowballAnalyser(),
        encoder=models.encoder(settings) if works else _no_model,
        reranker=(lambda: reranker_of(parts.registry(), settings)) if works else _no_model,
        ranking=fact_ranking(settings, ReciprocalRanks(settings.retrieval.rrf_k)),
        fusion=lambda: parts.registry().fusion,
        best="fused" if works else "lexical", reticent=True,
    )  # fmt: skip


def _no_model() -> NoReturn:
    raise Usage("this service holds no model", cure="search without a mode, or with mode lexical")
