"""The corrective loop's components, on the models of the settings."""

from dataclasses import replace

from composition.models import Models, load_judge, load_unjudged
from composition.outside import open_outside
from composition.ranking import fact_ranking, list_ranking
from composition.serving import Scorers, Serving, without_registry
from consumers.wiring.clock import now
from consumers.wiring.language_model import (
    judge_instead,
    judge_over,
    language_model_writer,
    language_models,
    planner,
    web_words,
)
from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.extractive import ExtractiveWriter
from vouch.answering.support import LEAST_CLOSENESS, LEAST_WORDS, Support
from vouch.correction.components import Components, Recipes
from vouch.correction.recipes import FactRecipe, ListRecipe
from vouch.correction.steps.limits import Limits
from vouch.correction.strips import refinement
from vouch.ports.evaluator import Evaluator
from vouch.ports.index import Index
from vouch.ports.reranker import Reranker
from vouch.settings import Settings


def loop_components(
    settings: Settings, index: Index, models: Models, serving: Serving | None = None
) -> Components:
    """With the fusion, reranker and evaluator that serve; those of the settings alone unless told."""
    analyser = SnowballAnalyser()
    extractive = ExtractiveWriter(models.closeness, analyser)
    language = language_models(settings)
    serving = serving or without_registry(settings)
    scorers = serving.scorers()
    judge = judge_over(settings, language, scorers.judge, models.count_tokens)
    return Components(
        index=index,
        encoder=models.encoder,
        reranker=scorers.reranker or models.reranker,
        reranked_by=scorers.reranked_by,
        closeness=models.closeness,
        evaluator=judge.evaluator,
        judged_by=judge.name,
        judge=_reader(settings, scorers),
        unjudged=_unjudged(settings, scorers),
        writer=language_model_writer(settings, language, models.count_tokens) if language else extractive,
        fallback=extractive,
        analyser=analyser,
        count_tokens=models.count_tokens,
        clock=now,
        recipes=_recipes(settings, serving),
        outside=open_outside(settings, models.reranker, models.count_tokens, analyser, now,
                             web_words(settings, language)),
        planner=planner(settings, language),
        steps=Limits(**settings.steps.model_dump(exclude={"planner", "tokens"})),
        support=_support(settings, models),
        confidence=settings.answering.confidence,
        swap_rate=settings.swaps.rate,
    )


def served_by(components: Components, settings: Settings, models: Models, serving: Serving) -> Components:
    """The same with the fusion, reranker and evaluator that serve now. What is heavy is shared."""
    scorers = serving.scorers()
    judge = judge_instead(components.evaluator, scorers.judge)
    return replace(
        components, reranker=scorers.reranker or models.reranker, reranked_by=scorers.reranked_by,
        evaluator=judge.evaluator, judged_by=judge.name, recipes=_recipes(settings, serving),
        judge=_reader(settings, scorers), unjudged=_unjudged(settings, scorers),
    )


def _reader(settings: Settings, scorers: Scorers) -> Reranker | None:
    """The judge, for an evaluator that weighs what it says."""
    return load_judge(settings) if scorers.judge.evaluator.judged_with else None


def _unjudged(settings: Settings, scorers: Scorers) -> Evaluator | None:
    """The one that comes with vouch fits no registered reranker."""
    return load_unjudged(settings) if scorers.judge.evaluator.judged_with and scorers.reranker is None else None


def _recipes(settings: Settings, serving: Serving) -> Recipes:
    answering, fused = settings.answering, serving.fusion
    return Recipes(
        FactRecipe(
            fact_ranking(settings, fused), answering.passages, answering.evidence_tokens,
            refinement=refinement(answering.refinement, answering.strips, answering.strip_floor),
        ),
        ListRecipe(list_ranking(settings, fused), answering.list_documents),
    )


def _support(settings: Settings, models: Models) -> Support:
    answering = settings.answering
    if answering.support == "words":
        least = LEAST_WORDS if answering.support_least is None else answering.support_least
        return Support(answering.unsupported, None, least)
    least = LEAST_CLOSENESS if answering.support_least is None else answering.support_least
    return Support(answering.unsupported, models.closeness, least)
