"""The language model of the tests: the real client, on a loopback server."""

from typing import Any

from model_fakes.chat_server import KEY
from vouch.adapters.language_model.dialect import Named, dialect_of
from vouch.adapters.language_model.endpoint import Endpoint
from vouch.adapters.language_model.model import Breaker, CallLimits, Model, Prices
from vouch.adapters.language_model.models import LanguageModels
from vouch.adapters.language_model.writer import LanguageModelWriter


def model(
    url: str, name: str = "big-one", key: str = KEY, *, dialect: Named = "auto", prices: Prices | None = None,
    failures: int = 100, pause_s: float = 60.0, **limits: Any,
) -> Model:  # fmt: skip
    """Its breaker stays out of the way, unless told."""
    given = CallLimits(**({"reply_s": 10.0, "retries": 0, "backoff_s": 0.01} | limits))
    breaker = Breaker(failures, pause_s, given.reply_s)
    return Model(Endpoint(url, key, name), dialect_of(dialect, url), given, prices or Prices(), breaker)


def models(*asked: Model, answer_s: float = 20.0, most_calls: int = 3) -> LanguageModels:
    for one in asked:
        one.ready()
    return LanguageModels(asked, answer_s=answer_s, most_calls=most_calls)


def writer(asked: LanguageModels, **how: Any) -> LanguageModelWriter:
    return LanguageModelWriter(asked, count_tokens=lambda text: len(text.split()), **how)
