"""The gate of an agent sees to it that its steps show a reader the same, whatever else lies in the index."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.ingest_bench import Bench as Home
from homes.small_world import EVERYBODY, small_world
from two_world.answers import loop_components
from two_world.worlds import ANALYSER

from flows.training.leakage_check import TwoWorlds
from indexers.live_index import LiveIndex
from services.models import walked_worlds
from services.models.walked_worlds import walked_in
from vouch.access import Directory
from vouch.correction.components import QuestionKinds
from vouch.correction.judging import first_search
from vouch.correction.planning.order import RagArgs
from vouch.correction.planning.planners import Actor, Template
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.correction.steps import further
from vouch.correction.steps.bridges import bridging_words
from vouch.correction.steps.tools import TOOLS, Bench, ToolFound
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.ports.index import View
from vouch.retrieval.ranking import Ranking

WALKS = Actor((Template("names"), Template("bridge"), Template("open")), steps=3, follows=True)


def differences(folder: Path, seen: list[str] | None = None, **changes: Any) -> tuple[int, int]:
    """`seen` gets the names of all that was compared."""
    nothing: Any = None
    made = loop_components(nothing, Home(folder / "models").encoder, OverlapReranker(ANALYSER), load_evaluator(),
                           index=object())  # type: ignore[arg-type]
    components = replace(made, actor=WALKS, **changes)
    worlds = TwoWorlds(lambda place: Home(place).components, ANALYSER, folder)

    def walked(view: View, _: Any, text: str) -> list[tuple[str, float]]:
        found = walked_in(view, components, text, 3)
        if seen is not None:
            seen.extend(name for name, _ in found)
        return found

    return worlds.compare(walked)


def test_a_question_for_a_list_is_walked_as_it_is_answered() -> None:
    """A leak in what lists alone go through would not be seen else."""
    few = QuestionKinds(FactQuestions(Ranking(top=20, rerank=1)), ListQuestions(Ranking(top=20, rerank=5)))
    world = small_world(kinds=few)
    view = world.index.view(EVERYBODY)
    for text, most in (("How many weeks of paid leave do parents get?", 1), ("List all documents about leave", 2)):
        shown = walked_in(view, world.components, text, 0)[1:]              # after how the steps ended
        assert [one for one, _ in shown] == [one.chunk_id for one in first_search(view, world.components, text).judged]
        assert len(shown) == most


@pytest.mark.slow
def test_hidden_documents_change_no_step_and_a_leak_is_seen(
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


def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: what is searched for tells how many rows there are that nobody here may read, and the search
    finds the same all the same."""
    def bridging(view: Any, *given: Any) -> tuple[str, ...]:
        return *bridging_words(view, *given), f"Hidden{len(view._version.rows.live)}"

    def search(bench: Bench, args: Any) -> ToolFound:
        plain = " ".join(word for word in args.query.split() if not word.startswith("Hidden"))
        return TOOLS["rag"](bench, RagArgs(query=plain or "nothing"))

    monkeypatch.setattr(further, "bridging_words", bridging)
    monkeypatch.setattr(further, "TOOLS", {**TOOLS, "rag": search})


@pytest.mark.slow
def test_a_step_that_differs_is_seen_although_all_ends_the_same(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting(monkeypatch)
    seen = list[str]()
    assert differences(memory_folder, seen)[0] > 0
    calls = [name for name in seen if " rag {" in name]
    assert calls and any("hidden" in name for name in calls)
    monkeypatch.setattr(walked_worlds, "_told", lambda step: [])        # the ends alone do not show it
    assert differences(memory_folder)[0] == 0


class Away:
    """A planner that is a language model, and must not be asked: what it says of the same may differ."""

    name = "away"

    def next_step(self, *_: Any) -> str:
        raise AssertionError


@pytest.mark.slow
def test_of_a_language_model_all_that_it_would_be_told_is_compared_and_it_is_not_asked(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[str]()
    assert differences(memory_folder, seen, planner=Away())[0] == 0
    assert sum("by what a language model would be told" in name for name in seen) > 12
    counting(monkeypatch)
    assert differences(memory_folder, planner=Away())[0] > 0
