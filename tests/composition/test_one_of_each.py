"""What is heavy is loaded once in a process, whoever asks for it."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from composition import models
from flows.wiring.ingesting import build_components
from vouch.adapters.models import encoder as encoders
from vouch.settings import Settings


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Any, ...]]]:
    """Every load of an encoder; nothing is remembered from other tests, or for them."""
    found: list[tuple[Any, ...]] = []

    def load(*given: Any) -> SimpleNamespace:
        found.append(given)
        return SimpleNamespace(fingerprint="encoder:0")

    monkeypatch.setattr("vouch.adapters.models.encoder.load_encoder", load)
    remembered = (models._encoder, models._ranking)
    for one in remembered:
        one.forget()
    yield found
    for one in remembered:
        one.forget()


@pytest.mark.slow
def test_a_worker_that_ingests_has_one_encoder(
    loaded: list[tuple[Any, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    settings = Settings()
    ingests, answers = build_components(settings).encoder, models.load_models(settings)
    assert ingests() is answers.encoder is build_components(settings).encoder() is models.load_models(settings).encoder
    assert len(loaded) == 1


def test_another_model_is_another_encoder(
    loaded: list[tuple[Any, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Settings()
    monkeypatch.setenv("VOUCH_ENCODER__DTYPE", "float32")
    assert models.encoder(usual)() is not models.encoder(Settings())()
    assert [given[1] for given in loaded] == ["auto", "float32"]


def test_whoever_asks_first_at_the_same_moment_loads_once(
    loaded: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    load = encoders.load_encoder
    monkeypatch.setattr(encoders, "load_encoder", lambda *given: (time.sleep(0.2), load(*given))[1])
    asked, found = threading.Barrier(4), list[Any]()

    def ask() -> None:
        asked.wait()
        found.append(models.encoder(Settings())())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loaded) == 1 and len(set(map(id, found))) == 1
