"""docs/recipes.md: its tables are those of the code."""

import re
import sys
import tomllib
from pathlib import Path

from vouch.correction.recipe_file import load_recipe, shipped
from vouch.retrieval.recipe.catalogue import STEPS
from vouch.retrieval.recipe.step import Step

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "recipes.md"


def sentence(text: str) -> str:
    return " ".join(text.split()).split(". ")[0].rstrip(".")


def parameters(step: type[Step]) -> str:
    told = []
    for name, field in step.model_fields.items():
        default = "" if field.default is None else f" (`{field.default}`)"
        told.append(f"`{name}`{default}: {field.description}")
    return " ".join(told)


def step_rows() -> list[str]:
    return [f"| `{name}` | {step.phase} | {sentence(step.__doc__ or '')} | {parameters(step)} |"
            for name, step in STEPS.items()]


def recipe_rows() -> list[str]:
    rows = []
    for name in shipped():
        recipe = load_recipe(name)
        steps = " → ".join(step.name for step in recipe.facts.steps)
        rows.append(f"| `{name}` | {recipe.about.rstrip('.')} | {steps} |")
    return rows


def test_the_tables_are_those_of_the_code() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for expected in (recipe_rows(), step_rows()):
        first = lines.index(expected[0]) if expected[0] in lines else None
        assert first is not None, f"not in the page: {expected[0]}"
        assert lines[first : first + len(expected)] == expected
        assert not lines[first + len(expected)].startswith("|")


def test_the_example_is_a_recipe(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "own.toml"
    file.write_text(example)
    assert load_recipe(str(file)).about and tomllib.loads(example)["facts"]["steps"]


if __name__ == "__main__":              # prints the tables, for the page
    sys.stdout.write("\n".join((*recipe_rows(), "", *step_rows(), "")))
