"""vouch evaluate: how good retrieval and evaluator are on labelled data."""

from pathlib import Path
from typing import Annotated

import typer

from cli.activity import progress
from cli.help import command_group
from cli.output import Json, emit
from cli.table import table

app = command_group("Measure quality on labeled data.")


@app.command(epilog="Example: vouch evaluate retrieval scifact --qrels scifact/qrels/train.tsv")
def retrieval(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="BEIR folder: corpus.jsonl[.gz], queries.jsonl.")],
    qrels: Annotated[Path, typer.Option(help="Judgments: query-id, corpus-id, score, tab-separated.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N queries.")] = None,
    rerank: Annotated[bool, typer.Option(help="Also measure the reranker, the slow part.")] = True,
    as_json: Json = False,
) -> None:
    """Measure retrieval by nDCG@10, recall@100, MRR@10 after each stage.

    Searches go through the same code and kind of index as those of `vouch ask`.
    """
    with progress("starting") as listener:
        from cli.wiring.learning import evaluate_retrieval

        row = evaluate_retrieval(folder, qrels, limit, rerank, listener)
    if as_json:
        emit(row)
        return
    table(
        ["stage", "nDCG@10", "95 % interval", "recall@100", "MRR@10"],
        [
            (stage, f"{m['ndcg@10']:.3f}", "{:.3f}-{:.3f}".format(*m["ndcg@10_interval"]),
             f"{m['recall@100']:.3f}", f"{m['mrr@10']:.3f}")
            for stage, m in row["stages"].items()
        ],
        title=f"{row['queries']} queries, {row['documents']} documents",
    )


@app.command(epilog="Example: vouch evaluate evaluator pairs.jsonl --json")
def evaluator(
    pairs: Annotated[Path, typer.Argument(help='JSON lines of {"question", "passage", "label"}.')],
    as_json: Json = False,
) -> None:
    """Measure the evaluator on labeled pairs: accuracy, majority, AUC, and calibration error."""
    with progress("judging"):
        from cli.wiring.learning import evaluate_evaluator

        row = evaluate_evaluator(pairs)
    if as_json:
        emit(row)
        return
    table(["figure", "value"], row.items())
