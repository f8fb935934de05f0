"""The corrective loop's components, on the models of the settings."""

from collections.abc import Callable
from dataclasses import replace

from composition.models import Models
from composition.outside import open_outside
from composition.ranking import fact_ranking, list_ranking
from composition.serving import Serving, without_registry
from consumers.wiring.clock import now
from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.extractive import ExtractiveWriter
from vouch.correction.components import Components, Recipes
from vouch.correction.recipes import FactRecipe, ListRecipe
from vouch.correction.steps.limits import Limits
from vouch.ports.index import Index
from vouch.ports.writer import Writer
from vouch.settings import OpenAIWriter as OpenAISettings
from vouch.settings import Settings


def loop_components(
    settings: Settings, index: Index, models: Models, serving: Serving | None = None
) -> Components:
    """With the fusion, reranker and evaluator that serve; those of the settings alone unless told."""
    analyser = SnowballAnalyser()
    extractive = ExtractiveWriter(models.closeness, analyser)
    serving = serving or without_registry(settings)
    scorers = serving.scorers()
    return Components(
        index=index,
        encoder=models.encoder,
        reranker=scorers.reranker or models.reranker,
        reranked_by=scorers.reranked_by,
        closeness=models.closeness,
        evaluator=scorers.judge.evaluator,
        judged_by=scorers.judge.name,
        writer=_writer(settings, extractive, models.count_tokens),
        fallback=extractive,
        analyser=analyser,
        count_tokens=models.count_tokens,
        clock=now,
        recipes=_recipes(settings, serving),
        outside=open_outside(settings, models.reranker, models.count_tokens, analyser, now),
        steps=Limits(**settings.steps.model_dump()),
        swap_rate=settings.swaps.rate,
    )


def served_by(components: Components, settings: Settings, models: Models, serving: Serving) -> Components:
    """The same with the fusion, reranker and evaluator that serve now. What is heavy is shared."""
    scorers = serving.scorers()
    return replace(
        components, reranker=scorers.reranker or models.reranker, reranked_by=scorers.reranked_by,
        evaluator=scorers.judge.evaluator, judged_by=scorers.judge.name, recipes=_recipes(settings, serving),
    )


def _recipes(settings: Settings, serving: Serving) -> Recipes:
    answering, fused = settings.answering, serving.fusion
    return Recipes(
        FactRecipe(fact_ranking(settings, fused), answering.passages, answering.evidence_tokens),
        ListRecipe(list_ranking(settings, fused), answering.list_documents),
    )


def _writer(settings: Settings, extractive: ExtractiveWriter, count: Callable[[str], int]) -> Writer:
    chosen = settings.writer
    if not isinstance(chosen, OpenAISettings):
        return extractive
    from vouch.adapters.openai_writer import OpenAIWriter

    return OpenAIWriter(
        base_url=chosen.base_url,
        model=chosen.model,
        api_key=chosen.api_key.get_secret_value(),
        timeout_s=chosen.timeout_seconds,
        retries=chosen.retries,
        max_prompt_tokens=chosen.max_prompt_tokens,
        max_answer_tokens=chosen.max_answer_tokens,
        count_tokens=count,
    )
