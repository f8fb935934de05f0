"""A home with a few documents, a worker over it, and the registry as people change it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.ingest_bench import Bench
from learning_scene.promoted_process import Process

from composition import models
from consumers.wiring.components import open_worker
from flows.wiring import ingesting
from services.models.registry import ModelService
from services.wiring.models import open_models
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger.documents.sources import SourceRow
from vouch.settings import read_settings


@pytest.fixture
def words() -> tuple[str, ...]:
    """One document is about each."""
    return ("leave", "travel", "expense", "laptop", "visa", "office")


@pytest.fixture
def home(tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    docs, access = tmp_path / "docs", tmp_path / "access.yaml"
    docs.mkdir()
    for number, word in enumerate(words):
        (docs / f"{word}.md").write_text(f"# {word}\n\nThe {word} rule allows {number + 3} days.\n")
    access.write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    bench = Bench(tmp_path / "home")
    bench.folder("docs", docs)
    bench.ledger.sources.add(SourceRow("docs", "folder", str(docs), str(access)))
    WatchedPermissions(bench.ledger.sources, bench.ledger.access).refresh()
    bench.ingest()
    reranker: Any = OverlapReranker(SnowballAnalyser())
    made = models.Models(bench.encoder, reranker, reranker, lambda text: len(text.split()))
    monkeypatch.setattr(models, "load_models", lambda _: made)
    monkeypatch.setattr(models, "encoder_fingerprint", lambda _: bench.encoder.fingerprint)
    monkeypatch.setattr(models, "encoder", lambda _: lambda: bench.encoder)
    monkeypatch.setattr(ingesting, "encoder_dimensions", lambda _: bench.encoder.dimensions)
    return bench.home


@pytest.fixture
def process(home: Path) -> Iterator[Process]:
    parts = open_worker(read_settings(), "worker", judges=True)
    yield Process(parts)
    for one in parts.components:
        one.close()


@pytest.fixture
def registry(home: Path) -> ModelService:
    return open_models(read_settings())
