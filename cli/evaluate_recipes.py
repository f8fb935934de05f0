"""Recipes side by side, as commands of `vouch evaluate` show them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from cli.output import on_one_line, say
from cli.table import table

Recipes = Annotated[str, typer.Option(
    metavar="A,B", help="Names or files of recipes, separated by commas: each is measured.",
)]

_OF_PAPERS: Sequence[tuple[str, str | None, str]] = (
    *((f"ROUGE-L {form}, k={k}", f"retrieved k={k}", form) for k in (1, 3, 5) for form in ("A", "B")),
    *((f"A over {bound}, k=5", "retrieved k=5", f"A over {bound}") for bound in (0.7, 0.5, 0.3)),
    ("passages at k=5", None, "passages at k=5"),
    ("F1 of the first quotation", "answer", "F1 of the first quotation"),
    ("accuracy by containment", "answer", "accuracy by containment"),
    ("declined", "answer", "declined"),
)


def named(recipes: str) -> list[str]:
    """Each once, in their order."""
    return list(dict.fromkeys(name for one in recipes.split(",") if (name := one.strip())))


def tell_recipes(figures: Mapping[str, Any]) -> None:
    """Figures of retrieval, a recipe in each column."""
    rows: list[tuple[str, ...]] = []
    for name in ("ndcg@10", "recall@100", "mrr@10"):
        rows.append((name, *(f"{one[name]:.3f}" for one in figures.values())))
        ends = [one[f"{name}_interval"] for one in figures.values()]
        rows.append(("  95 % interval", *(f"{low:.3f}-{high:.3f}" for low, high in ends)))
    rows.append(("passages", *(f"{one['passages']:g}" for one in figures.values())))
    table(["figure", *figures], rows)
    tell_made_by({name: one["made_by"] for name, one in figures.items()})


def tell_papers(figures: Mapping[str, Any]) -> None:
    """Figures of questions on papers, a recipe in each column."""
    rows: list[tuple[str, ...]] = []
    for where in ("own paper", "all papers"):
        of = [one[where] for one in figures.values()]
        for told, part, name in _OF_PAPERS:
            values = [(one if part is None else one.get(part, {})).get(name, "") for one in of]
            rows.append((f"{where}, {told}", *(f"{v:.3f}" if isinstance(v, float) else str(v) for v in values)))
    table(["figure", *figures], rows)
    tell_made_by({name: one["own paper"].get("made_by", {}) for name, one in figures.items()})


def tell_made_by(by_recipe: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
    """What suggested the words of which steps: a language model, or the rules, and why."""
    for recipe, steps in by_recipe.items():
        for step, counts in steps.items():
            told = ", ".join(f"{on_one_line(who)} ({number})" for who, number in counts.items())
            say(f"{recipe}, {step}: by {told}")
