"""The language models of the settings, and the writer on them."""

from collections.abc import Callable

from vouch.adapters.language_model.breaker import Breaker
from vouch.adapters.language_model.dialect import Named, dialect_of
from vouch.adapters.language_model.endpoint import Endpoint
from vouch.adapters.language_model.model import CallLimits, Model, Prices
from vouch.adapters.language_model.models import LanguageModels
from vouch.adapters.language_model.writer import LanguageModelWriter
from vouch.settings import OpenAIWriter, Settings


def language_models(settings: Settings) -> LanguageModels | None:
    """None where answers are quoted. Connects to nothing. All who ask them in this process share one."""
    chosen = settings.writer
    if not isinstance(chosen, OpenAIWriter):
        return None
    models = [_model(
        chosen, Endpoint(chosen.base_url, chosen.api_key.get_secret_value(), chosen.model), chosen.dialect,
        Prices(chosen.prompt_price, chosen.answer_price),
    )]  # fmt: skip
    if chosen.second_model:
        models.append(_model(chosen, _second(chosen), chosen.second_dialect,
                             Prices(chosen.second_prompt_price, chosen.second_answer_price)))
    return LanguageModels(models, answer_s=chosen.answer_seconds, most_calls=chosen.calls)


def language_model_writer(
    settings: Settings, models: LanguageModels, count_tokens: Callable[[str], int]
) -> LanguageModelWriter:
    chosen = settings.writer
    assert isinstance(chosen, OpenAIWriter)
    return LanguageModelWriter(
        models, count_tokens=count_tokens, max_prompt_tokens=chosen.max_prompt_tokens,
        max_answer_tokens=chosen.max_answer_tokens, decides=chosen.decides,
    )


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
