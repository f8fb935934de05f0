"""vouch evaluate: how good answers, retrieval and evaluator are on labeled data."""

from pathlib import Path
from typing import Annotated

import typer

from cli.activity import progress
from cli.help import command_group
from cli.output import Json, emit, say
from cli.questions import ReaderOfCorpus, by_corpus
from cli.table import table
from vouch.wording import count

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

        row, report = evaluate_retrieval(folder, qrels, limit, rerank, listener)
    if as_json:
        emit({**row, "report": str(report)})
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
    _tell_report(report)


@app.command(epilog="Example: vouch evaluate evaluator pairs.jsonl --json")
def evaluator(
    pairs: Annotated[Path, typer.Argument(help='JSON lines of {"question", "passage", "label"}.')],
    as_json: Json = False,
) -> None:
    """Measure the evaluator on labeled pairs: accuracy, majority, AUC, and calibration error."""
    with progress("judging"):
        from cli.wiring.learning import evaluate_evaluator

        row, report = evaluate_evaluator(pairs)
    if as_json:
        emit({**row, "report": str(report)})
        return
    table(["figure", "value"], row.items())
    _tell_report(report)


@app.command(epilog="Example: vouch evaluate answers questions.jsonl --reader handbook=group:staff")
def answers(
    questions: Annotated[Path, typer.Argument(help="JSON lines, each with a question, quotes and quote_paths.")],
    reader: ReaderOfCorpus = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    out: Annotated[Path | None, typer.Option(help="A file for each question's grade and answer.")] = None,
    as_json: Json = False,
) -> None:
    """Measure the answers to questions with known answers, over the documents that are served now."""
    readers = by_corpus(reader)
    with progress("starting") as listener:
        from cli.wiring.learning import evaluate_answers

        found, report = evaluate_answers(questions, readers, limit, out, listener)
    if as_json:
        emit({**found, "report": str(report)})
        return
    rows = [("all", found), *found["kinds"].items()]
    table(
        ["answerable", "questions", "cited", "shown", "declined"],
        [(kind, n["answerable"]["questions"], *_shares(n["answerable"], "cited", "shown", "declined"))
         for kind, n in rows if "answerable" in n],
    )
    table(
        ["not answerable", "questions", "answered", "unsure", "declined"],
        [(kind, n["unanswerable"]["questions"], *_shares(n["unanswerable"], "answered", "unsure", "declined"))
         for kind, n in rows if "unanswerable" in n],
    )
    told = [(f"answers given as certain: {name}", value) for name, value in found.get("certain", {}).items()]
    if "auc" in found:
        told.append(("evaluator's AUC", "{} ({}-{})".format(found["auc"], *found["auc_interval"])))
    table(["figure", "value"], told)
    _tell_report(report)


def _tell_report(folder: Path) -> None:
    say(f"kept with its pictures in {folder}")


def _shares(row: dict[str, float], *names: str) -> list[str]:
    return [f"{row[name]:.0%}" for name in names]
