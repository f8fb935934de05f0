"""Commands of vouch evaluate on public data sets, and recipes side by side."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.terminal.activity import progress
from cli.terminal.output import Json, emit, on_one_line, say, table

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
    """The names between the commas, each once, in their order."""
    return list(dict.fromkeys(name for one in recipes.split(",") if (name := one.strip())))


def tell_recipes(figures: Mapping[str, Any]) -> None:
    """Prints figures of retrieval, with a column for each recipe."""
    rows: list[tuple[str, ...]] = []
    for name in ("ndcg@10", "recall@100", "mrr@10"):
        rows.append((name, *(f"{one[name]:.3f}" for one in figures.values())))
        ends = [one[f"{name}_interval"] for one in figures.values()]
        rows.append(("  95 % interval", *(f"{low:.3f}-{high:.3f}" for low, high in ends)))
    rows.append(("passages", *(f"{one['passages']:g}" for one in figures.values())))
    table(["figure", *figures], rows)
    tell_made_by({name: one["made_by"] for name, one in figures.items()})


def tell_papers(figures: Mapping[str, Any]) -> None:
    """Prints figures of questions on papers, with a column for each recipe."""
    rows: list[tuple[str, ...]] = []
    for where in ("own paper", "all papers"):
        of = [one[where] for one in figures.values()]
        for told, part, name in _OF_PAPERS:
            values = [(one if part is None else one.get(part, {})).get(name, "") for one in of]
            rows.append((f"{where}, {told}", *(f"{v:.3f}" if isinstance(v, float) else str(v) for v in values)))
    table(["figure", *figures], rows)
    tell_made_by({name: one["own paper"].get("made_by", {}) for name, one in figures.items()})


def tell_made_by(by_recipe: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
    """Prints who suggested the words of each step: a language model, or the rules and why."""
    for recipe, steps in by_recipe.items():
        for step, counts in steps.items():
            told = ", ".join(f"{on_one_line(who)} ({number})" for who, number in counts.items())
            say(f"{recipe}, {step}: by {told}")


Limit = Annotated[int | None, typer.Option(min=1, help="Only N questions, chosen at random by --seed.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random choice.")]


def squad(
    file: Annotated[Path, typer.Argument(help="Paragraphs and questions in the layout of SQuAD 2.0, plain or gzip.")],
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure open retrieval, EM and F1 of what is quoted, and abstention, on data like SQuAD 2.0.

    Each question is asked over all paragraphs, in an index of its own that is deleted afterwards.
    """
    with progress("starting") as listener:
        from cli.wiring.evaluation.datasets import evaluate_squad

        measured = evaluate_squad(file, limit, seed, listener)
    tell_measured(*measured, as_json=as_json)


def qasper(
    papers: Annotated[Path, typer.Argument(help='JSON lines of {"paper_id", "title", "full_text"}, plain or gzip.')],
    questions: Annotated[Path, typer.Argument(help="JSON lines, each with qid, paper_id, question, answer, evidence.")],
    limit: Limit = None,
    seed: Seed = 0,
    recipes: Recipes = "",
    as_json: Json = False,
) -> None:
    """Measure evidence by ROUGE-L and answers on scientific papers, inside the own paper and over all."""
    with progress("starting") as listener:
        from cli.wiring.evaluation.datasets import evaluate_qasper

        figures, report = evaluate_qasper(papers, questions, limit, seed, listener, named(recipes))
    if recipes and not as_json:
        tell_papers(figures["recipes"])
        tell_report(report)
        return
    tell_measured(figures, report, as_json=as_json)


def financebench(
    pages: Annotated[Path, typer.Argument(help='JSON lines of {"doc_name", "page", "text"}, plain or gzip.')],
    questions: Annotated[Path, typer.Argument(help="JSON lines with financebench_id, question, answer and evidence.")],
    limit: Limit = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure page recall, answers that are numbers, and refusals on filings, with and without the right one named."""
    with progress("starting") as listener:
        from cli.wiring.evaluation.datasets import evaluate_financebench

        measured = evaluate_financebench(pages, questions, limit, seed, listener)
    tell_measured(*measured, as_json=as_json)


def tell_measured(figures: Mapping[str, Any], report: Path, *, as_json: bool) -> None:
    """Prints each figure on a line, with its interval if it has one."""
    if as_json:
        emit({**figures, "report": str(report)})
        return
    table(["figure", "value", "95 % interval"], list(_rows("", figures)))
    tell_report(report)


def tell_report(folder: Path) -> None:
    say(f"kept with its pictures in {folder}")


def _rows(path: str, figures: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, value in figures.items():
        told = f"{path}, {name}" if path else name
        if isinstance(value, Mapping):
            yield from _rows(told, value)
        elif not name.endswith("_interval"):
            ends = figures.get(f"{name}_interval")
            yield told, f"{value:g}" if isinstance(value, float) else str(value), (
                "{:.3f} to {:.3f}".format(*ends) if ends else "")
