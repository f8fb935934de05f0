"""vouch train: makes the small models vouch learns itself."""

from pathlib import Path
from typing import Annotated

import typer

from cli.activity import progress
from cli.help import command_group
from cli.output import Json, emit, say

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
    if as_json:
        emit({"out": str(out), **figures})
        return
    for name, value in figures.items():
        say(f"{name}: {value}")
    say(f"written to {out}")
