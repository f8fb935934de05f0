"""vouch train: makes the small models vouch learns itself."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cli.activity import progress
from cli.help import command_group
from cli.output import Json, emit, say
from cli.questions import ReaderOfCorpus, by_corpus
from vouch.errors import Usage

app = command_group("Train models.")


@app.callback()
def group() -> None:
    """Train models."""


@app.command(epilog="Example: vouch train evaluator --passages passages.jsonl.gz --squad dev.json.gz --out model.json")
def evaluator(
    passages: Annotated[Path, typer.Option(help="Questions with labeled passages (openqa_passages layout).")],
    squad: Annotated[Path, typer.Option(help="SQuAD 2.0 JSON, plain or gzip.")],
    out: Annotated[Path, typer.Option(help="Where the model is written.")],
    seed: Annotated[int, typer.Option(help="Seed of every random choice; it is stored in the model.")] = 0,
    as_json: Json = False,
) -> None:
    """Train and calibrate the evaluator; prints its figures on held-out questions."""
    with progress("starting") as listener:
        from cli.wiring.learning import train_evaluator

        figures = train_evaluator(passages, squad, out, seed, listener)
    _tell(out, figures, as_json)


@app.command(epilog="Example: vouch train fusion --questions asked.jsonl --reader hr=group:staff --out fusion.json")
def fusion(
    out: Annotated[Path, typer.Option(help="Where the model is written.")],
    questions: Annotated[Path | None, typer.Option(
        help="Questions about the documents served now: JSON lines, each with a question, quotes and quote_paths.",
    )] = None,
    reader: ReaderOfCorpus = None,
    beir: Annotated[Path | None, typer.Option(metavar="DIR", help="A BEIR folder; needs --qrels.")] = None,
    qrels: Annotated[Path | None, typer.Option(help="Its judgments: query-id, corpus-id, score.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of every random choice; it is stored in the model.")] = 0,
    as_json: Json = False,
) -> None:
    """Train what fuses the hits of words and of meaning into one list; VOUCH_FUSION__MODEL uses it.

    One question in five is held out. The model is refused if it may rank them
    worse than reciprocal ranks do.
    """
    if questions is None and beir is None:
        raise Usage("there is nothing to learn from", cure="give --questions FILE, or --beir DIR and --qrels FILE")
    if (beir is None) != (qrels is None):
        raise Usage("--beir and --qrels belong together", cure="give both")
    readers = by_corpus(reader)
    with progress("starting") as listener:
        from cli.wiring.learning import train_fusion

        figures = train_fusion(questions, readers, beir, qrels, out, seed, listener)
    refused = figures["refused"]
    how = f"it is not to serve: {refused}" if refused else f"use it with VOUCH_FUSION__MODEL={out}"
    _tell(out, figures, as_json, f"; {how}")


@app.command(epilog="Example: vouch train judge --pairs squad2_train.jsonl.gz --pairs policies.jsonl.gz --out judge")
def judge(
    pairs: Annotated[list[Path], typer.Option(help="Labeled pairs. Name a file twice to draw twice as many of them.")],
    out: Annotated[Path, typer.Option(help="Folder of the judge. A run that was interrupted is resumed.")],
    steps: Annotated[int, typer.Option(min=1, help="Steps of 32 pairs.")] = 600,
    look_every: Annotated[int, typer.Option(min=1, help="Steps between looks at held-out pairs.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of every random choice; it is stored in the judge.")] = 0,
    as_json: Json = False,
) -> None:
    """Train a model that judges whether a passage answers a question; VOUCH_RERANKER__MODEL uses it."""
    with progress("starting") as listener:
        from cli.wiring.judging import train_judge

        figures = train_judge(pairs, out, steps, look_every, seed, listener)
    _tell(out, figures, as_json, f"; use it with VOUCH_RERANKER__MODEL={out}, and train an evaluator for it")


def _tell(out: Path, figures: dict[str, Any], as_json: bool, how: str = "") -> None:
    if as_json:
        emit({"out": str(out), **figures})
        return
    for name, value in figures.items():
        say(f"{name}: {value}")
    say(f"written to {out}{how}")
