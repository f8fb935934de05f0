"""Hidden documents change nothing of an answer that took several steps: no query, no step, no word, no warning."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.memory import folder_in_memory
from hypothesis import Phase, given, settings
from two_world.answers import EXEMPT, exact, loop_components
from two_world.drawing import ALIKE, world_pairs
from two_world.worlds import ANALYSER, DIRECTORY, NOW, Pair, World, open_world

from indexers.live_index import LiveIndex
from vouch.correction.components import Components
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import RagArgs
from vouch.correction.steps import bridges as bridge
from vouch.correction.steps import further
from vouch.correction.steps.tools import TOOLS, Bench, ToolFound
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.ports.index import View
from vouch.retrieval.ranking import rank
from vouch.values.question import Question

PAIRS = 100
EVERYBODY = DIRECTORY.audience(["user:ana@acme.test"], NOW)
pytestmark = pytest.mark.usefixtures("quick_disk")
Make = Callable[[World], Components]


def made(world: World) -> Components:
    ready = loop_components(world, world.encoder, OverlapReranker(ANALYSER), load_evaluator())
    return replace(ready, steps=Limits(4, 600.0, 4, 600.0))     # a slow machine is no difference


def asked(components: Components, pair: Pair) -> Outcome:
    question = Question("q", f"{pair.question} and what is leave?", pair.audience, NOW, steps=4)
    return answer_question(question, components)


def observed(outcome: Outcome) -> dict[str, Any]:
    answer = {k: v for k, v in outcome.answer.model_dump(mode="json").items() if k not in EXEMPT}
    answer["steps"] = [{k: v for k, v in one.items() if k != "ms"} for one in answer.get("steps", ())]
    steps = [{k: v for k, v in one.items() if k != "ms"} for one in outcome.steps]
    return {"answer": answer, "candidates": exact(outcome.candidates), "given": list(outcome.given),
            "steps": exact(steps)}


def differences(pair: Pair, make: Make = made) -> tuple[list[str], Outcome]:
    with folder_in_memory() as home:
        first, second = (asked(make(open_world(home / str(n), side)), pair)
                         for n, side in enumerate((pair.first, pair.second)))
    seen, other = observed(first), observed(second)
    return [name for name in seen if seen[name] != other[name]], first


def test_hidden_documents_change_no_step() -> None:
    taken: Counter[str] = Counter()

    @settings(ALIKE, max_examples=PAIRS)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        found, outcome = differences(pair)
        assert found == []
        taken["pairs"] += 1
        taken["with steps"] += bool(outcome.steps)
        taken["with a bridge"] += any(one["args"].get("words_of") for one in outcome.steps)
        taken[outcome.answer.stopped] += 1

    check()
    # They would prove little if no step were taken.
    assert taken["pairs"] >= PAIRS and taken["with steps"] > PAIRS / 2 and taken["with a bridge"] > PAIRS / 5, taken


def test_all_that_a_query_was_made_from_is_checked_again_before_it_is_sent() -> None:
    @settings(ALIKE, max_examples=30)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        with folder_in_memory() as home:
            outcome = asked(made(open_world(home, pair.first)), pair)
        told = {one for step in outcome.answer.steps for one in step.passages}
        used = {one for step in outcome.steps for one in step["args"].get("words_of", ())}
        assert told | used <= set(outcome.given)

    check()


def unmasked(bench: Bench, args: Any) -> ToolFound:
    """The planted bug: a tool that searches for somebody else."""
    assert isinstance(args, RagArgs)
    index = bench.components.index
    assert isinstance(index, LiveIndex)
    view = index.view(EVERYBODY)
    ranked = rank(view, bench.query, bench.components.ranking_models, bench.kind.ranking)
    return ToolFound(tuple(ranked.candidates))


def found_by_the_harness() -> list[str]:
    found: list[str] = []

    @settings(ALIKE, max_examples=40, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if not found:
            found.extend(differences(pair)[0])

    check()
    return found


def test_a_tool_with_the_rights_of_others_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(further, "TOOLS", {**TOOLS, "rag": unmasked})
    assert found_by_the_harness()


def test_bridges_from_the_whole_collection_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: which words of a passage lead on depends on how many there are that nobody here may read."""
    def counted(view: View, passage: Any, question: str, analyse: Any) -> tuple[str, ...]:
        return *bridge.bridging_words(view, passage, question, analyse), f"of{len(view._version.rows.live)}"  # type: ignore[attr-defined]

    monkeypatch.setattr(further, "bridging_words", counted)
    assert found_by_the_harness()
