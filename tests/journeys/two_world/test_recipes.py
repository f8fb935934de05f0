"""Hidden documents change no answer that another recipe searches for, whatever words its steps take from passages."""

from dataclasses import replace
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.memory import folder_in_memory
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from two_world.answers import loop_components, observed_answer
from two_world.drawing import ALIKE, world_pairs
from two_world.worlds import ANALYSER, Pair, World, open_world

from indexers.live_index import LiveIndex
from vouch.correction.components import Components, QuestionKinds
from vouch.correction.recipe_file import load_recipe, shipped
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.filters import EVERYTHING
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.retrieval.ranking import Ranking
from vouch.retrieval.recipe.abbreviations import Abbreviations
from vouch.retrieval.recipe.catalogue import STEPS
from vouch.retrieval.recipe.choosing import Diversify, Documents, Topic
from vouch.retrieval.recipe.filtering import FilterNamed
from vouch.retrieval.recipe.finding import Expand, Fuse, Near, Retrieve, Spread
from vouch.retrieval.recipe.query_words import Entities, Spelling
from vouch.retrieval.recipe.reranking import GuidedRerank, Rerank, ScoreFilter
from vouch.retrieval.recipe.step import Step
from vouch.retrieval.recipe.suggesting import Augment, Hypothesize

PAIRS = 60
ALL: tuple[Step, ...] = (
    FilterNamed(), Spelling(), Abbreviations(), Entities(), Augment(), Hypothesize(), Retrieve(), Near(), Fuse(),
    Topic(), Documents(), Expand(), Spread(), Rerank(), GuidedRerank(passages=2), ScoreFilter(least=0.1), Diversify(),
)  # fmt: skip
OTHERS = [name for name in shipped() if name != "default"]
QUESTIONS = ("travle budgte", "what does HR say of OKR", "leave in the hall since 2020", "merger of the Budget Team")
pytestmark = pytest.mark.usefixtures("quick_disk")


def with_steps(world: World, ranking: Ranking, index: LiveIndex | None = None) -> Components:
    made = loop_components(world, world.encoder, OverlapReranker(ANALYSER), load_evaluator(), index)
    facts = FactQuestions(ranking, places=3, evidence_tokens=120, name="drawn")
    return replace(made, kinds=QuestionKinds(facts, ListQuestions()))


def differences(pair: Pair, ranking: Ranking, leaky: type[LiveIndex] | None = None) -> tuple[list[str], Any]:
    with folder_in_memory() as home:
        seen = []
        for number, side in enumerate((pair.first, pair.second)):
            world = open_world(home / str(number), side)
            index = leaky(world.store, world.permissions) if leaky else None
            seen.append(observed_answer(with_steps(world, ranking, index), pair))
    first, second = seen
    return [name for name in first if first[name] != second[name]], first["answer"]


def test_all_steps_are_in_the_test() -> None:
    assert {step.name for step in ALL} == set(STEPS)


def test_hidden_documents_change_no_answer_through_all_steps() -> None:
    made = []

    @settings(ALIKE, max_examples=PAIRS)
    @given(world_pairs(), st.sampled_from(("", *QUESTIONS)))
    def check(pair: Pair, words: str) -> None:
        pair = replace(pair, question=f"{pair.question} {words}")
        differ, answer = differences(pair, Ranking(top=20, rerank=8, steps=ALL))
        assert differ == []
        made.append({one["step"] for one in answer.get("recipe_steps", ()) if one["said"]})

    check()
    # The pairs would prove little if the steps took no words from anywhere.
    assert {"augment", "hypothesize", "guided_rerank", "spelling"} <= set.union(*made)


@pytest.mark.parametrize("name", OTHERS)
def test_hidden_documents_change_no_answer_of_a_recipe_that_comes_with_vouch(name: str) -> None:
    @settings(ALIKE, max_examples=8)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert differences(pair, load_recipe(name).facts.ranking(Ranking(top=20, rerank=8)))[0] == []

    check()


class Unmasked(LiveIndex):
    """The planted bug: the view that a wider reader had."""

    def view(self, audience: Any, filters: Any = EVERYTHING) -> Any:
        if not hasattr(self, "_wide"):
            self._wide = super().view(self._permissions.permissions().directory.audience(["user:cy@acme.test"]))
        return self._wide


def test_steps_over_a_view_of_others_are_found() -> None:
    found: list[str] = []

    @settings(ALIKE, max_examples=40, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if not found:
            found.extend(differences(pair, Ranking(top=20, rerank=8, steps=ALL), Unmasked)[0])

    check()
    assert found
