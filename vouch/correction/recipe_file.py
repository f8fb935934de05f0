"""Recipes as files: TOML that composes named steps, shipped in `recipe_files/` or written by whoever runs vouch."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from vouch.answering.refinement import Mode
from vouch.broken import broken
from vouch.errors import Usage
from vouch.invalid import problem, problems
from vouch.retrieval.ranking import BROAD, Ranking
from vouch.retrieval.recipe.catalogue import STEPS
from vouch.retrieval.recipe.step import PHASES, Step

DEFAULT = "default"
_SHIPPED = Path(__file__).with_name("recipe_files")
_CURE = "docs/recipes.md lists steps and parameters"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Search(_Part):
    """What both kinds of questions have: the steps of their search, in order."""

    steps: tuple[Step, ...]

    @field_validator("steps", mode="before")
    @classmethod
    def _named(cls, rows: Any) -> tuple[Step, ...]:
        if not isinstance(rows, list | tuple):
            raise ValueError("must be a list of steps, as { step = \"retrieve\" }")
        steps = tuple(_step(number, row) for number, row in enumerate(rows, 1))
        if wrong := _disorder(steps):
            raise ValueError(wrong)
        return steps

    def ranking(self, base: Ranking) -> Ranking:
        """`base` with these steps, and as deep as they say."""
        depths = [step.depth() for step in self.steps]
        top = max((one.top for one in depths if one.top), default=base.top)
        read = max((one.read for one in depths if one.read), default=base.rerank)
        return replace(base, steps=self.steps, top=top, rerank=read)


class Facts(_Search):
    """Questions that ask for a fact. What is not given is as the settings say."""

    passages: Annotated[int | None, Field(ge=1, le=50, description="Most passages given to the writer.")] = None
    evidence_tokens: Annotated[int | None, Field(ge=64, description="Tokens of the evidence.")] = None
    judged: Annotated[int | None, Field(ge=0, le=50, description="Passages that the judge reads.")] = None
    refinement: Annotated[Mode | None, Field(description="How passages are cut into strips.")] = None
    strips: Annotated[int | None, Field(ge=0, le=200, description="Most strips kept of all passages.")] = None
    strip_floor: Annotated[float | None, Field(description="Least score of a strip that is kept.")] = None


class Lists(_Search):
    """Questions that want everything there is."""

    documents: Annotated[int | None, Field(ge=1, le=200, description="Documents that are listed.")] = None


class RecipeFile(_Part):
    """`name`: as settings call it. Without `lists` such questions are searched as by default."""

    name: str = ""
    about: Annotated[str, Field(min_length=1, description="One sentence on what it does.")]
    facts: Facts
    lists: Lists | None = None

    @property
    def broad(self) -> Lists:
        return self.lists or Lists(steps=BROAD)

    @property
    def told_as(self) -> str:
        """As answers tell it: nothing of the default."""
        return "" if self.name == DEFAULT else self.name


def shipped() -> list[str]:
    """Names of the recipes that come with vouch."""
    return sorted(file.stem for file in _SHIPPED.glob("*.toml"))


def load_recipe(named: str) -> RecipeFile:
    """One that comes with vouch, or the file at a path. Raises Usage that names the file, the key and the cure."""
    if "/" in named or named.endswith(".toml"):
        own = _read(Path(named).expanduser())
        # As answers tell it, a recipe of one's own is never taken for one that comes with vouch.
        return own.model_copy(update={"name": f"{own.name}.toml"}) if own.name in shipped() else own
    if named not in shipped():
        raise Usage(f"no recipe is called {named!r}",
                    cure=f"one of {', '.join(shipped())}, or the path of a file that ends in .toml")
    return _read_shipped(named)


@cache
def _read_shipped(named: str) -> RecipeFile:
    return _read(_SHIPPED / f"{named}.toml")


def _read(file: Path) -> RecipeFile:
    try:
        row = tomllib.loads(file.read_text(encoding="utf-8"))
        return RecipeFile(**{"name": file.stem, **row})
    except OSError as error:
        raise Usage(f"recipe {file} cannot be read: {error.strerror}", cure="name another one") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Usage(f"recipe {file} is not TOML: {broken(error) or error}", cure="docs/recipes.md shows one") from error
    except ValidationError as error:
        raise Usage(f"recipe {file}: {problems(error.errors())}", cure=_CURE) from error
    except TypeError as error:          # a key that is no word
        raise Usage(f"recipe {file}: {error}", cure=_CURE) from error


def _step(number: int, row: Any) -> Step:
    if isinstance(row, Step):
        return row
    if not isinstance(row, Mapping) or not isinstance(row.get("step"), str):
        raise ValueError(f"{number}: names no step, as {{ step = \"retrieve\" }}")
    name = row["step"]
    if name not in STEPS:
        raise ValueError(f"{number}: there is no step {name!r}; there are {', '.join(STEPS)}")
    try:
        return STEPS[name](**{key: value for key, value in row.items() if key != "step"})
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{number} ({name}): {'.'.join(map(str, first['loc']))} {problem(first)}") from error


def _disorder(steps: tuple[Step, ...]) -> str:
    """What is wrong with their order; empty if nothing is."""
    names = [step.name for step in steps]
    for required in ("retrieve", "fuse"):
        if names.count(required) != 1:
            return f"needs the step {required!r} once"
    for before, after in pairwise(steps):
        if PHASES.index(after.phase) < PHASES.index(before.phase):
            return f"{after.name!r} must stand before {before.name!r}"
    at = names.index("retrieve")
    for index, step in enumerate(steps):
        if step.phase == "retrieve" and step.name != "retrieve" and (step.name == "near") == (index < at):
            return f"{step.name!r} must stand {'behind' if index < at else 'before'} 'retrieve'"
    if "score_filter" in names and not {"rerank", "guided_rerank"} & set(names[: names.index("score_filter")]):
        return "'score_filter' needs 'rerank' or 'guided_rerank' before it"
    return ""
