"""A calibrated evaluator gives what a reader may see the same probabilities, whatever else lies in the index."""

from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.ingest_bench import Bench
from two_world.answers import loop_components
from two_world.worlds import ANALYSER

from flows.training.leakage_check import TwoWorlds
from indexers.live_index import LiveIndex
from services.models.measured_runs import Judging
from vouch.access import Directory
from vouch.learning.models.evaluator_model import load_evaluator


def differences(folder: Path) -> tuple[int, int]:
    nothing: Any = None
    components = loop_components(nothing, Bench(folder / "models").encoder, OverlapReranker(ANALYSER), nothing,
                                 index=object())  # type: ignore[arg-type]
    worlds = TwoWorlds(lambda place: Bench(place).components, ANALYSER, folder)
    return Judging(lambda: components, nothing, nothing).worlds(worlds.compare, load_evaluator())


@pytest.mark.slow
def test_hidden_documents_change_no_probability_and_a_leak_is_seen(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    differ, compared = differences(memory_folder)
    assert differ == 0 and compared > 20
    plain = LiveIndex.view

    def leaking(self: LiveIndex, audience: Any) -> Any:
        """Statistics are counted over all rows there are."""
        view, board = plain(self, audience), plain(self, Directory().audience(["group:board"]))
        return type("View", (), {"__getattr__": lambda _, name: getattr(view, name),
                                 "statistics": lambda _, terms: board.statistics(terms)})()

    monkeypatch.setattr(LiveIndex, "view", leaking)
    assert differences(memory_folder)[0] > 0
