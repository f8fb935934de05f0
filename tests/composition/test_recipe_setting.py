"""VOUCH_RECIPE: which steps, depths and refinement the process that answers works with."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from composition.model_registry.serving import fact_ranking, list_ranking
from consumers.wiring.loop import kinds_of
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.errors import Usage
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import Settings


def recipes(settings: Settings) -> Any:
    serving: Any = SimpleNamespace(fusion=ReciprocalRanks())
    return kinds_of(settings, serving)


def same(one: ListQuestions, other: ListQuestions) -> bool:
    return (one.ranking, one.places, one.judged, one.name) == (other.ranking, other.places, other.judged, other.name)


def test_the_default_recipes_are_those_without_a_setting() -> None:
    made = recipes(Settings())
    assert made.facts == FactQuestions() and same(made.lists, ListQuestions())


def test_a_recipe_says_steps_depths_and_what_is_kept() -> None:
    crag = recipes(Settings(recipe="crag")).facts
    assert [step.name for step in crag.ranking.steps] == ["retrieve", "fuse"] and crag.ranking.top == 10
    assert (crag.name, crag.places, crag.judged, crag.refinement.mode, crag.refinement.most) == (
        "crag", 10, 10, "excerption", 6)
    guided = Settings(recipe="guided")
    assert (fact_ranking(guided).top, fact_ranking(guided).rerank) == (10, 15)
    assert list_ranking(guided) == list_ranking(Settings()) and same(recipes(guided).lists, ListQuestions())


def test_what_a_recipe_leaves_open_is_as_the_settings_say(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('about = "A."\n[facts]\npassages = 2\nsteps = [{step = "retrieve"}, {step = "fuse"}]\n'
                    '[lists]\ndocuments = 3\nsteps = [{step = "retrieve"}, {step = "fuse"}]')
    made = recipes(Settings(recipe=str(file), retrieval={"top": 7}, answering={"evidence_tokens": 99, "strips": 4}))
    assert (made.facts.places, made.facts.evidence_tokens, made.facts.ranking.top) == (2, 99, 7)
    assert made.facts.refinement.most == 4
    assert (made.lists.places, made.lists.name, len(made.lists.ranking.steps)) == (3, "own", 2)


def test_a_name_that_is_none_stops_before_anything_is_answered() -> None:
    with pytest.raises(Usage, match="no recipe is called 'fasts'"):
        recipes(Settings(recipe="fasts"))
