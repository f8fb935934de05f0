"""Whoever ranks as an answer does asks the same language model for words; who compares versions asks none."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.wiring.http.serving import open_library
from composition import models
from composition.model_registry import serving
from flows.wiring.ingesting import build_components
from services.wiring.answering import open_search_service
from services.wiring.labeling import open_labeling
from vouch.settings import Settings
from vouch.settings.models import OpenAIWriter

MODEL = OpenAIWriter(base_url="http://127.0.0.1:9/v1", model="big-one")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """With models that load nothing."""
    nothing: Any = SimpleNamespace()
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(models, "encoder", lambda settings: lambda: nothing)
    monkeypatch.setattr(serving.models, "load_reranker", lambda settings: nothing)
    return Settings(writer=MODEL)


def test_a_search_and_the_pool_of_passages_to_judge_ask_the_one_of_the_settings(settings: Settings) -> None:
    for finder in (open_search_service(settings), open_labeling(settings, None).finder):
        suggesters = [finder.ranking_models().suggester for _ in range(2)]
        assert suggesters[0] is suggesters[1] is not None          # what it has learned of its model is kept
        assert suggesters[0].name == "language model big-one"


def test_whoever_searches_over_http_spends_no_money_of_a_language_model(settings: Settings) -> None:
    parts: Any = SimpleNamespace(
        index=None, watched=None, registry=lambda: serving.without_registry(settings))
    with_model, without = (open_library(settings, parts, works=works) for works in (True, False))
    assert with_model.ranking_models is not without.ranking_models
    assert with_model.ranking_models().suggester is None


def test_an_ingest_pays_no_language_model(settings: Settings) -> None:
    gate = build_components(settings.model_copy(update={"ingest": settings.ingest.model_copy(
        update={"golden_loss": 0.1})})).gate
    assert gate is not None and gate.ranked()[0].suggester is None
