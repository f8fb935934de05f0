"""What the settings say of language models."""

from typing import Any

import pytest
from fakes.fixed_evaluator import FixedEvaluator
from homes.small_world import small_world
from web_scene.connections import watched

from composition.language_model import (
    check_language_models,
    judge_instead,
    judge_over,
    language_models,
    planner,
    web_planner,
    web_words,
)
from composition.model_registry.serving import Judge, Scorers, Serving
from composition.models import Models
from consumers.wiring.loop import loop_components
from vouch.adapters.language_model.follow_ups import LanguageModelCompleter
from vouch.adapters.language_model.judge import LanguageModelJudge
from vouch.adapters.language_model.planner import LanguageModelPlanner
from vouch.adapters.language_model.search_words import LanguageModelWords
from vouch.adapters.language_model.web_planner import LanguageModelWebPlanner
from vouch.correction.judging import JUDGED
from vouch.errors import Usage
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import Settings
from vouch.settings.answering import StepsSettings, WebSettings
from vouch.settings.models import EvaluatorSettings, OpenAIWriter

TRAINED = Judge(FixedEvaluator(0.5), "trained")
MODEL = OpenAIWriter(base_url="http://127.0.0.1:9/v1", model="big-one", second_model="small-one",
                     second_base_url="http://127.0.0.1:10/v1", api_key="sk-first")  # type: ignore[arg-type]
JUDGES, CHOOSES = EvaluatorSettings(judge="language-model"), WebSettings(words="language-model")
PLANS = StepsSettings(planner="language-model")


@pytest.mark.parametrize("changed", [{"evaluator": JUDGES}, {"web": CHOOSES}, {"steps": PLANS}])
def test_a_language_model_that_is_not_set_cannot_be_asked_for(changed: dict[str, Any]) -> None:
    with pytest.raises(Usage, match="no language model is set"):
        check_language_models(Settings(**changed))
    check_language_models(Settings(writer=MODEL, **changed))


def test_models_are_made_without_a_connection_and_a_key_goes_to_its_own_endpoint_alone() -> None:
    with watched() as connections:
        made = language_models(Settings(writer=MODEL))
    assert made is not None and connections.begun == []
    keys = [(one._endpoint.base_url, one._endpoint._api_key) for one in made._models]
    assert keys == [("http://127.0.0.1:9/v1", "sk-first"), ("http://127.0.0.1:10/v1", "")]
    assert language_models(Settings()) is None


def test_who_judges_plans_and_chooses_words() -> None:
    models = language_models(Settings(writer=MODEL))
    assert isinstance(planner(Settings(writer=MODEL, steps=PLANS), models), LanguageModelPlanner)
    assert planner(Settings(writer=MODEL), models) is None
    assert isinstance(web_planner(Settings(writer=MODEL, steps=PLANS), models), LanguageModelWebPlanner)
    assert web_planner(Settings(writer=MODEL), models) is None
    assert judge_over(Settings(writer=MODEL), models, TRAINED, len) == TRAINED
    judge = judge_over(Settings(writer=MODEL, evaluator=JUDGES), models, TRAINED, len)
    assert isinstance(judge.evaluator, LanguageModelJudge) and judge.name == "language model big-one"
    other = Judge(FixedEvaluator(0.9, (0.1, 0.2)), "other")
    assert judge_instead(TRAINED.evaluator, other) == other
    assert judge_instead(judge.evaluator, other).evaluator.thresholds == (0.1, 0.2)
    assert isinstance(web_words(Settings(writer=MODEL, web=CHOOSES), models)(str), LanguageModelWords)
    assert web_words(Settings(writer=MODEL), models)(str) is str


def test_what_chooses_what_goes_out_shares_nothing_with_calls_about_documents() -> None:
    models = language_models(Settings(writer=MODEL))
    words: Any = web_words(Settings(writer=MODEL, web=WebSettings(words="language-model", seconds=8)), models)(str)
    orders: Any = web_planner(Settings(writer=MODEL, steps=PLANS), models)
    assert models is not None and words._seconds == 4 and words._models is orders._models
    for one, other in zip(models._models, words._models._models, strict=True):
        for held in ("_endpoint", "_breaker", "_learned", "_places"):
            assert getattr(one, held) is not getattr(other, held)
        assert (one.name, one._limits, one._prices) == (other.name, other._limits, other._prices)


def test_only_a_language_model_judges_pages_of_the_web_and_one_that_is_set_completes_follow_ups() -> None:
    """The judge that is trained on companies' documents is never shown them."""
    world = small_world()
    c = world.components
    models: Any = Models(c.encoder, c.reranker, c.closeness, len)  # type: ignore[arg-type]
    serving = Serving(ReciprocalRanks(), lambda: Scorers(None, "", "", TRAINED), lambda: TRAINED)
    trained, large = (loop_components(Settings(writer=MODEL, evaluator=one), c.index, models, serving)
                      for one in (EvaluatorSettings(), JUDGES))
    assert (trained.web_judged, large.web_judged) == (0, JUDGED)
    assert isinstance(trained.completer, LanguageModelCompleter)
    assert loop_components(Settings(), c.index, models, serving).completer is None
