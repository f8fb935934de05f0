"""The corrective loop's components, on the models of the settings."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypedDict

from composition.language_model import (
    completer,
    judge_instead,
    judge_over,
    language_model_writer,
    language_models,
    planner,
    suggester,
    web_planner,
    web_words,
)
from composition.model_registry.serving import (
    Judge,
    Scorers,
    Serving,
    fact_ranking,
    judge_model_of,
    list_ranking,
    recipe_of,
    without_registry,
)
from composition.models import LANGUAGE_MODEL, Models, load_unjudged
from composition.web_search import open_outside
from consumers.process import now
from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.packing import Packing
from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.answering.refinement import Refinement, refinement
from vouch.answering.verification.citations import LEAST_CLOSENESS, LEAST_WORDS, Support
from vouch.correction.components import Components, QuestionKinds
from vouch.correction.judging import JUDGED
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.planners import Actor
from vouch.correction.recipe_file import Facts
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.ports.index import Index
from vouch.ports.models import Evaluator, Reranker
from vouch.settings import Settings


def loop_components(
    settings: Settings, index: Index, models: Models, serving: Serving | None = None
) -> Components:
    """With the fusion, reranker, judge, evaluator and agent that serve; those of the settings alone unless told."""
    analyser = SnowballAnalyser()
    extractive = ExtractiveWriter(models.closeness, analyser)
    language = language_models(settings)
    return Components(
        **_registered(settings, models, serving or without_registry(settings),
                      lambda trained: judge_over(settings, language, trained, models.count_tokens)),
        index=index,
        encoder=models.encoder,
        closeness=models.closeness,
        web_judged=JUDGED if settings.evaluator.judge == LANGUAGE_MODEL else 0,
        writer=language_model_writer(settings, language, models.count_tokens) if language else extractive,
        fallback=extractive,
        analyser=analyser,
        count_tokens=models.count_tokens,
        clock=now,
        outside=open_outside(settings, models.reranker, models.count_tokens, analyser, now,
                             web_words(settings, language)),
        planner=planner(settings, language),
        web_planner=web_planner(settings, language),
        steps=step_limits(settings),
        support=_support(settings, models),
        packing=_packing(settings),
        confidence=settings.answering.confidence,
        swap_rate=settings.swaps.rate,
        suggester=suggester(language),
        completer=completer(language, analyser.terms),
    )


def served_by(components: Components, settings: Settings, models: Models, serving: Serving) -> Components:
    """The same with the fusion, reranker, judge, evaluator and agent that serve now. What is heavy is shared."""
    return replace(components, **_registered(
        settings, models, serving, lambda trained: judge_instead(components.evaluator, trained)))


class _Registered(TypedDict):
    """What changes in a running process when the registry says so."""

    reranker: Reranker
    reranked_by: str
    reranked_with: str
    evaluator: Evaluator
    judged_by: str
    judge: Reranker | None
    read_by: str
    unjudged: Evaluator | None
    kinds: QuestionKinds
    actor: Actor
    planned_by: str


def _registered(
    settings: Settings, models: Models, serving: Serving, judge_with: Callable[[Judge], Judge]
) -> _Registered:
    """`judge_with`: what judges, given the trained evaluator that serves."""
    scorers = serving.scorers()
    judge = judge_with(scorers.judge)
    return _Registered(
        reranker=scorers.reranker or models.reranker, reranked_by=scorers.reranked_by,
        reranked_with=scorers.reranked_with, evaluator=judge.evaluator, judged_by=judge.name,
        judge=judge_model_of(scorers, settings), read_by=scorers.read_by, unjudged=_unjudged(settings, scorers),
        kinds=kinds_of(settings, serving), actor=serving.agent.actor, planned_by=serving.agent.name,
    )


def step_limits(settings: Settings) -> Limits:
    return Limits(**settings.steps.model_dump(exclude={"planner", "tokens"}))


def _unjudged(settings: Settings, scorers: Scorers) -> Evaluator | None:
    """The one that comes with vouch fits no registered reranker."""
    return load_unjudged(settings) if scorers.judge.evaluator.judged_with and scorers.reranker is None else None


def kinds_of(settings: Settings, serving: Serving) -> QuestionKinds:
    """By the recipe of the settings. Raises Usage for one that is not there, or is wrong."""
    answering, fused, recipe = settings.answering, serving.fusion, recipe_of(settings)
    own, ranking = recipe.facts, list_ranking(settings, fused)
    return QuestionKinds(
        FactQuestions(
            fact_ranking(settings, fused), own.passages or answering.passages,
            own.evidence_tokens or answering.evidence_tokens, JUDGED if own.judged is None else own.judged,
            _refinement(own, settings), recipe.told_as,
        ),
        ListQuestions(ranking, recipe.broad.documents or answering.list_documents, steps=ranking.steps,
                   name=recipe.told_as if recipe.lists else ""),
    )


def _packing(settings: Settings) -> Packing:
    chosen = settings.answering
    return Packing(chosen.passage_tokens, chosen.shorten, chosen.merge_sections, chosen.evidence_order)


def _refinement(own: Facts, settings: Settings) -> Refinement:
    """The settings', unless the recipe has a mode of its own, with what it says of that."""
    answering = settings.answering
    if own.refinement is None:
        strips, floor = own.strips, own.strip_floor
        return refinement(answering.refinement, answering.strips if strips is None else strips,
                          answering.strip_floor if floor is None else floor)
    return refinement(own.refinement, own.strips or 0, own.strip_floor)


def _support(settings: Settings, models: Models) -> Support:
    answering = settings.answering
    if answering.support == "words":
        least = LEAST_WORDS if answering.support_least is None else answering.support_least
        return Support(answering.unsupported, None, least)
    least = LEAST_CLOSENESS if answering.support_least is None else answering.support_least
    return Support(answering.unsupported, models.closeness, least)
