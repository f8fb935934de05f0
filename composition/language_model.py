"""The language models of the settings: what writes, judges, plans steps, completes follow-ups and chooses words
with them."""

from collections.abc import Callable

from composition.model_registry.serving import Judge
from vouch.adapters.language_model.dialect import Named, dialect_of
from vouch.adapters.language_model.endpoint import Endpoint
from vouch.adapters.language_model.follow_ups import LanguageModelCompleter
from vouch.adapters.language_model.judge import LanguageModelJudge
from vouch.adapters.language_model.model import Breaker, CallLimits, Model, Prices
from vouch.adapters.language_model.models import LanguageModels
from vouch.adapters.language_model.planner import LanguageModelPlanner
from vouch.adapters.language_model.search_words import LanguageModelSuggester, LanguageModelWords
from vouch.adapters.language_model.web_planner import LanguageModelWebPlanner
from vouch.adapters.language_model.writer import LanguageModelWriter
from vouch.adapters.observability.health import reach
from vouch.answering.prompting.prompts import Style
from vouch.errors import Usage
from vouch.extras import require
from vouch.ports.language import Planner
from vouch.ports.models import Analyse, Evaluator
from vouch.ports.web import WebPlanner
from vouch.settings import Settings
from vouch.settings.models import OpenAIWriter

Words = Callable[[str], str]
_SHARE_OF_WORDS = 0.5                   # of the time of a search of the web, at most


def language_models(settings: Settings) -> LanguageModels | None:
    """None where answers are quoted. Connects to nothing. All who ask them in this process share one. Raises Usage."""
    chosen = settings.writer
    if not isinstance(chosen, OpenAIWriter):
        check_language_models(settings)
        return None
    models = [_model(
        chosen, Endpoint(chosen.base_url, chosen.api_key.get_secret_value(), chosen.model), chosen.dialect,
        Prices(chosen.prompt_price, chosen.answer_price),
    )]  # fmt: skip
    if chosen.second_model:
        models.append(_model(chosen, _second(chosen), chosen.second_dialect,
                             Prices(chosen.second_prompt_price, chosen.second_answer_price)))
    return LanguageModels(models, answer_s=chosen.answer_seconds, most_calls=chosen.calls)


def check_language_models(settings: Settings) -> None:
    """Raises Usage where the settings ask for a language model and name none."""
    if isinstance(settings.writer, OpenAIWriter):
        return
    for setting, chosen in (("EVALUATOR__JUDGE", settings.evaluator.judge), ("WEB__WORDS", settings.web.words),
                            ("STEPS__PLANNER", settings.steps.planner)):
        if chosen == "language-model":
            raise Usage(f"VOUCH_{setting} is language-model, and no language model is set",
                        cure="set VOUCH_WRITER__KIND=openai, with its address and model")


def language_model_writer(
    settings: Settings, models: LanguageModels, count_tokens: Callable[[str], int]
) -> LanguageModelWriter:
    chosen = settings.writer
    assert isinstance(chosen, OpenAIWriter)
    return LanguageModelWriter(
        models, count_tokens=count_tokens, max_prompt_tokens=chosen.max_prompt_tokens,
        max_answer_tokens=chosen.max_answer_tokens, decides=chosen.decides,
        style=Style(chosen.examples, chosen.step_by_step),
    )


def judge_over(
    settings: Settings, models: LanguageModels | None, trained: Judge, count_tokens: Callable[[str], int]
) -> Judge:
    """The trained one, unless the settings say that a language model judges."""
    if models is None or settings.evaluator.judge != "language-model":
        return trained
    judge = LanguageModelJudge(models, trained.evaluator, count_tokens, settings.evaluator.judge_tokens)
    return Judge(judge, judge.fingerprint)


def judge_instead(before: Evaluator, trained: Judge) -> Judge:
    """`trained`, or where a language model judges, that one with `trained` beside it."""
    if not isinstance(before, LanguageModelJudge):
        return trained
    return Judge(before.over(trained.evaluator), before.fingerprint)


def web_words(settings: Settings, models: LanguageModels | None) -> Callable[[Words], Words]:
    """Those of the rules, unless a language model chooses; it leaves the search half of its time."""
    if models is None or settings.web.words != "language-model":
        return lambda rules: rules
    return lambda rules: LanguageModelWords(models, rules, seconds=settings.web.seconds * _SHARE_OF_WORDS)


def suggester(models: LanguageModels | None) -> LanguageModelSuggester | None:
    """What recipes ask for other words than the question's."""
    return None if models is None else LanguageModelSuggester(models)


def completer(models: LanguageModels | None, terms: Analyse) -> LanguageModelCompleter | None:
    """None: the rules."""
    return None if models is None else LanguageModelCompleter(models, terms)


def planner(settings: Settings, models: LanguageModels | None) -> Planner | None:
    """None: the rules."""
    chosen = settings.steps
    if models is None or chosen.planner != "language-model":
        return None
    return LanguageModelPlanner(models, seconds=chosen.tool_seconds, most_tokens=chosen.tokens)


def web_planner(settings: Settings, models: LanguageModels | None) -> WebPlanner | None:
    """None: the rules."""
    chosen = settings.steps
    if models is None or chosen.planner != "language-model":
        return None
    return LanguageModelWebPlanner(models, seconds=chosen.tool_seconds)


def _second(chosen: OpenAIWriter) -> Endpoint:
    """A key goes to no other endpoint than its own."""
    if chosen.second_base_url:
        key = chosen.second_api_key.get_secret_value()
        return Endpoint(chosen.second_base_url, key, chosen.second_model, "VOUCH_WRITER__SECOND_")
    key = chosen.second_api_key.get_secret_value() or chosen.api_key.get_secret_value()
    return Endpoint(chosen.base_url, key, chosen.second_model, "VOUCH_WRITER__SECOND_")


def _model(chosen: OpenAIWriter, endpoint: Endpoint, dialect: Named, prices: Prices) -> Model:
    limits = CallLimits(
        reply_s=chosen.timeout_seconds, retries=chosen.retries, at_once=chosen.at_once,
        thinking_tokens=chosen.thinking_tokens,
    )
    breaker = Breaker(chosen.breaker_failures, chosen.breaker_seconds, chosen.timeout_seconds)
    return Model(endpoint, dialect_of(dialect, endpoint.base_url), limits, prices, breaker)


def model_server(settings: Settings) -> str:
    """Its address, empty where answers are quoted. Raises Usage if what speaks to it is not installed."""
    if not isinstance(settings.writer, OpenAIWriter):
        return ""
    require("openai", "VOUCH_WRITER__KIND=openai")
    return settings.writer.base_url


def try_model(settings: Settings) -> str:
    """Whether it can be reached. Raises ModelDown, and Usage as above."""
    url = model_server(settings)
    return reach(url) if url else "none: answers are quoted"
