"""CONTRIBUTING.md, "A recipe step": one that puts the newest documents first, in a recipe of its own."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

import pytest
from homes.small_world import EVERYBODY, NOBODY, passage, small_world
from pydantic import Field

from vouch.correction.components import QuestionKinds
from vouch.correction.loop import answer_question
from vouch.correction.recipe_file import load_recipe
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.errors import Usage
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.retrieval.recipe import catalogue
from vouch.retrieval.recipe.step import Bench, Made, Phase, Search, Step

RECIPE = '''
about = "Newest first."
[facts]
steps = [{ step = "retrieve" }, { step = "fuse" }, { step = "newest", first = 2 }, { step = "rerank", read = 1 }]
'''


class Newest(Step):
    """The newest of the best few first."""

    name: ClassVar[str] = "newest"
    phase: ClassVar[Phase] = "expand"
    first: int = Field(default=5, ge=1, description="How many change places.")

    def run(self, search: Search, bench: Bench) -> Search:
        best, others = search.pooled[: self.first], search.pooled[self.first :]
        never = datetime.min.replace(tzinfo=UTC)
        ordered = sorted(best, key=lambda one: one.passage.changed_at or never, reverse=True)
        told = Made(self.name, "dates", (str(ordered[0].passage.changed_at),)) if ordered else Made(self.name, "dates")
        return replace(search, pooled=[*ordered, *others], made=(*search.made, told),
                       words_of=(*search.words_of, *ordered[:1]))


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("vouch.correction.recipe_file.STEPS", {**catalogue.STEPS, Newest.name: Newest})
    file = tmp_path / "newest.toml"
    file.write_text(RECIPE)
    return file


def test_a_recipe_names_it_and_its_parameters_are_checked(recipe: Path) -> None:
    assert load_recipe(str(recipe)).facts.steps[2] == Newest(first=2)
    recipe.write_text(RECIPE.replace("first = 2", "first = 0"))
    with pytest.raises(Usage, match=r"facts\.steps 3 \(newest\): first must be 1 or more"):
        load_recipe(str(recipe))


def test_it_is_run_tells_what_it_made_and_what_it_saw_is_looked_up_again(recipe: Path) -> None:
    old = passage("Leave is paid for ten weeks.", chunk_id="old", changed_at=datetime(2020, 1, 1, tzinfo=UTC))
    new = passage("Leave is paid.", chunk_id="new", path="b.md", changed_at=datetime(2025, 1, 1, tzinfo=UTC))
    world = small_world([old, new])
    found = load_recipe(str(recipe))
    facts = FactQuestions(found.facts.ranking(Ranking()), name=found.told_as)
    components = replace(world.components, kinds=QuestionKinds(facts, ListQuestions()))
    query = form_query("Is leave paid for ten weeks?", components.analyser)
    ranked = rank(world.index.view(EVERYBODY), query, components.ranking_models, facts.ranking)
    assert [one.chunk_id for one in ranked.candidates] == ["new", "old"]

    outcome = answer_question(world.ask("Is leave paid for ten weeks?"), components)
    assert outcome.answer.recipe == "newest" and "new" in outcome.given
    assert [(one.step, one.by) for one in outcome.answer.recipe_steps] == [("newest", "dates")]
    world.index.labels["new"] = NOBODY
    again = answer_question(world.ask("Is leave paid for ten weeks?"), components).answer
    assert "2025" not in str(again.recipe_steps) and "2020" in str(again.recipe_steps)
