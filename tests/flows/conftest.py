import os
from collections.abc import Callable
from pathlib import Path

import pytest
from homes.ingest_bench import Bench
from homes.purge_scene import ingest_history


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "home")


@pytest.fixture
def kept(bench: Bench, tmp_path: Path) -> Bench:
    """Four versions of a few papers, one of which is to be purged."""
    ingest_history(bench, tmp_path / "docs")
    return bench


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a document below tmp_path/docs, with an mtime old enough to be trusted."""
    root = tmp_path / "docs"
    root.mkdir()

    def put(path: str, text: str) -> Path:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        os.utime(place, (1_700_000_000, 1_700_000_000))
        return place

    return put
