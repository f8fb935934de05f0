"""Commands of `vouch evaluate` that measure answers on public data sets."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.activity import progress
from cli.evaluate_recipes import Recipes, named, tell_papers
from cli.output import Json, emit, say
from cli.table import table

Limit = Annotated[int | None, typer.Option(min=1, help="Only N questions, drawn by the seed.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of what is drawn.")]


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
        from cli.wiring.data_sets import evaluate_squad

        found = evaluate_squad(file, limit, seed, listener)
    tell_measured(*found, as_json=as_json)


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
        from cli.wiring.data_sets import evaluate_qasper

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
        from cli.wiring.data_sets import evaluate_financebench

        found = evaluate_financebench(pages, questions, limit, seed, listener)
    tell_measured(*found, as_json=as_json)


def tell_measured(figures: Mapping[str, Any], report: Path, *, as_json: bool) -> None:
    """Every figure on a line, with its interval where it has one."""
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
