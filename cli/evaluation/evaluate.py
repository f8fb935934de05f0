"""vouch evaluate: how good answers, retrieval and evaluator are on labeled data."""

from pathlib import Path
from typing import Annotated

import typer

from cli.asking.questions import ReaderOfCorpus, by_corpus
from cli.evaluation.answers import answers, golden, rag
from cli.evaluation.datasets import (
    Recipes,
    financebench,
    named,
    qasper,
    squad,
    tell_measured,
    tell_recipes,
    tell_report,
)
from cli.terminal.activity import progress
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, table
from vouch.plurals import count

app = command_group("Measure quality on labeled data.")


@app.command(epilog="Example: vouch evaluate retrieval scifact --qrels scifact/qrels/train.tsv")
def retrieval(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="BEIR folder: corpus.jsonl[.gz], queries.jsonl.")],
    qrels: Annotated[Path, typer.Option(help="Judgments: query-id, corpus-id, score, tab-separated.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N queries.")] = None,
    rerank: Annotated[bool, typer.Option(help="Also measure the reranker, the slow part.")] = True,
    recipes: Recipes = "",
    as_json: Json = False,
) -> None:
    """Measure retrieval by nDCG@10, recall@100 and MRR@10: after each stage, or with each of several recipes.

    The searches use the same code and the same kind of index as `vouch ask`.
    """
    with progress("starting") as listener:
        from cli.wiring.evaluation.served import evaluate_retrieval

        row, report = evaluate_retrieval(folder, qrels, limit, rerank, listener, named(recipes))
    if as_json:
        emit({**row, "report": str(report)})
        return
    if recipes:
        tell_recipes(row["recipes"])
        tell_report(report)
        return
    table(
        ["stage", "nDCG@10", "95 % interval", "recall@100", "MRR@10"],
        [
            (stage, f"{m['ndcg@10']:.3f}", "{:.3f}-{:.3f}".format(*m["ndcg@10_interval"]),
             f"{m['recall@100']:.3f}", f"{m['mrr@10']:.3f}")
            for stage, m in row["stages"].items()
        ],
        title=f"{count(row['queries'], 'query', 'queries')}, {count(row['documents'], 'document')}",
    )
    tell_report(report)


@app.command(epilog="Example: vouch evaluate evaluator pairs.jsonl --by group --questions questions.jsonl")
def evaluator(
    pairs: Annotated[Path, typer.Argument(help='JSON lines of {"question", "passage", "label"}.')],
    by: Annotated[str, typer.Option(metavar="FIELD", help="Also give figures for each value of this field.")] = "kind",
    questions: Annotated[Path | None, typer.Option(
        help="Questions as for vouch evaluate answers: count how many are judged correct, ambiguous and incorrect.",
    )] = None,
    reader: ReaderOfCorpus = None,
    as_json: Json = False,
) -> None:
    """Measure the evaluator on labeled pairs: accuracy, majority, AUC, and calibration error."""
    readers = by_corpus(reader)
    with progress("judging") as listener:
        from cli.wiring.evaluation.served import evaluate_evaluator

        measured = evaluate_evaluator(pairs, by, questions, readers, listener)
    tell_measured(*measured, as_json=as_json)


app.command(
    epilog="Example: vouch evaluate answers questions.jsonl --reader handbook=group:staff --against other.toml"
)(answers)
app.command(epilog="Example: vouch evaluate squad dev-v2.0.json --limit 300")(squad)
app.command(epilog="Example: vouch evaluate golden --least 0.7")(golden)
app.command(epilog="Example: vouch evaluate qasper papers.jsonl.gz questions.jsonl --limit 20")(qasper)
app.command(epilog="Example: vouch evaluate financebench pages.jsonl.gz questions.jsonl --limit 10")(financebench)
app.command(epilog="Example: vouch evaluate rag questions.jsonl --reader handbook=group:staff")(rag)
