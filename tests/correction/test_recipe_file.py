"""Recipes as files: those that come with vouch, and what is said of one that is wrong."""

from pathlib import Path
from typing import ClassVar

import pytest

from vouch.correction import recipe_file
from vouch.correction.recipe_file import load_recipe, shipped
from vouch.errors import Usage
from vouch.retrieval.ranking import BROAD, USUAL, Ranking
from vouch.retrieval.recipe.catalogue import STEPS
from vouch.retrieval.recipe.step import Bench, Phase, Search, Step

SEED = ("retrieve", "retrieve-rerank", "augment-rerank", "hypothesize-rerank", "both-rerank", "augment-filter",
        "both-filter", "guided")
GOOD = 'about = "One."\n[facts]\nsteps = [{ step = "retrieve" }, { step = "fuse" }, { step = "rerank", keep = 5 }]\n'


def test_the_default_is_what_is_searched_without_a_file() -> None:
    default = load_recipe("default")
    assert default.facts.ranking(Ranking()) == Ranking() and default.facts.steps == USUAL
    assert default.broad.steps == BROAD and default.told_as == ""


def test_every_recipe_that_comes_with_vouch_can_be_used() -> None:
    assert {*SEED, "default", "crag"} <= set(shipped())
    for name in shipped():
        assert load_recipe(name).about.endswith(".")


def test_the_depths_are_those_of_the_eight() -> None:
    first, second, *others = (load_recipe(name).facts.steps for name in SEED)
    assert [(step.name, step.model_dump(exclude_unset=True)) for step in first] == [
        ("retrieve", {"top": 5, "engine": "meaning"}), ("fuse", {"keep": 5})]
    assert (second[0].top, second[-1].keep) == (15, 5)      # type: ignore[attr-defined]
    for steps in others:
        by = {step.name: step for step in steps}
        last = by.get("rerank") or by["guided_rerank"]
        assert (by["retrieve"].top, by["fuse"].keep, last.keep) == (10, 15, 5)   # type: ignore[attr-defined]


def test_a_path_names_a_file_and_its_depths_count(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(GOOD.replace('"retrieve"', '"retrieve", top = 7').replace("keep", "read = 9, keep"))
    recipe = load_recipe(str(file))
    assert recipe.told_as == "own" and recipe.facts.ranking(Ranking()).top == 7
    assert recipe.facts.ranking(Ranking()).rerank == 9 and recipe.broad.steps == BROAD


class Newest(Step):
    """A step of somebody else's, whose parameters are called as those of others are."""

    name: ClassVar[str] = "newest"
    phase: ClassVar[Phase] = "expand"
    top: int = 2
    read: int = 3

    def run(self, search: Search, bench: Bench) -> Search:
        return search


def test_a_parameter_of_a_new_step_changes_no_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe_file, "STEPS", {**STEPS, "newest": Newest})
    file = tmp_path / "own.toml"
    file.write_text(GOOD.replace('{ step = "rerank"', '{ step = "newest" }, { step = "rerank"'))
    found = load_recipe(str(file)).facts.ranking(Ranking())
    assert found.steps[2].name == "newest" and (found.top, found.rerank) == (Ranking().top, Ranking().rerank)


@pytest.mark.parametrize(("text", "said"), [
    (GOOD + "passages = 0\n", "facts.passages must be 1 or more"),
    (GOOD + "pages = 3\n", "facts.pages is not known here"),
    (GOOD.replace("keep = 5", "keep = 0"), "facts.steps 3 (rerank): keep must be 1 or more"),
    (GOOD.replace("keep = 5", "kept = 5"), "facts.steps 3 (rerank): kept is not known here"),
    (GOOD.replace('"rerank"', '"reorder"'), "facts.steps 3: there is no step 'reorder'; there are filters, spelling"),
    (GOOD.replace('{ step = "fuse" }, ', ""), "facts.steps needs the step 'fuse' once"),
    (GOOD.replace('{ step = "fuse" }, ', "").replace(" }]", ' }, { step = "fuse" }]'),
     "facts.steps 'fuse' must stand before 'rerank'"),
    (GOOD.replace('{ step = "fuse" }', '{ step = "augment" }, { step = "fuse" }'),
     "facts.steps 'augment' must stand before 'retrieve'"),
    (GOOD.replace('{ step = "rerank", keep = 5 }', '{ step = "score_filter" }'),
     "facts.steps 'score_filter' needs 'rerank' or 'guided_rerank' before it"),
    (GOOD.replace('{ step = "fuse" }', '"fuse"'), "facts.steps 2: names no step"),
    (GOOD.replace('about = "One."', ""), "about is missing"),
    (GOOD.replace("[facts]", "[facts"), "is not TOML"),
])  # fmt: skip
def test_what_is_wrong_is_said_with_file_key_and_cure(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(Usage) as caught:
        load_recipe(str(file))
    assert str(file) in caught.value.cause and said in caught.value.cause
    assert "docs/recipes.md" in caught.value.cure


@pytest.mark.parametrize(("file", "named", "told"), [("own", "", "own"), ("own", "default", "default.toml"),
                                                     ("default", "", "default.toml"), ("crag", "mine", "mine")])
def test_a_file_is_never_told_as_one_that_comes_with_vouch(tmp_path: Path, file: str, named: str, told: str) -> None:
    own = tmp_path / f"{file}.toml"
    own.write_text((f'name = "{named}"\n' if named else "") + GOOD)
    assert load_recipe(str(own)).told_as == told


def test_an_unknown_name_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(Usage, match="no recipe is called 'defualt'") as caught:
        load_recipe("defualt")
    assert "guided" in caught.value.cure
    with pytest.raises(Usage, match="cannot be read"):
        load_recipe(str(tmp_path / "none.toml"))
