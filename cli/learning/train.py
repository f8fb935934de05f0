"""vouch train: makes the small models vouch learns itself."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.asking.questions import ReaderOfCorpus, by_corpus
from cli.terminal.activity import progress
from cli.terminal.help import command_group
from cli.terminal.output import Json, complain, emit, say, table
from vouch.errors import Usage

app = command_group("Train models.")


@app.callback()
def group() -> None:
    """Train models."""


@app.command(epilog="Example: vouch train evaluator --questions questions.jsonl --out model.json")
def evaluator(
    out: Annotated[Path, typer.Option(help="Where the model is written.")],
    questions: Annotated[Path | None, typer.Option(
        help="Questions about the current documents: JSON lines of question, answerable, quotes, quote_paths.",
    )] = None,
    reader: ReaderOfCorpus = None,
    passages: Annotated[Path | None, typer.Option(
        help="Questions with labeled passages (openqa_passages layout); needs --squad.")] = None,
    squad: Annotated[Path | None, typer.Option(help="SQuAD 2.0 JSON, plain or gzip.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of every random choice; it is stored in the model.")] = 0,
    as_json: Json = False,
) -> None:
    """Train and calibrate the evaluator, and print its figures on held-out questions.

    With --questions the judge's score is one of its features (VOUCH_EVALUATOR__JUDGE); with --passages and --squad it
    needs no judge.
    """
    if (questions is None) == (passages is None) or (passages is None) != (squad is None):
        raise Usage("it learns from --questions, or from --passages and --squad", cure="give one of the two")
    readers = by_corpus(reader)
    if readers and questions is None:
        raise Usage("--reader belongs to --questions", cure="give --questions FILE, or leave it out")
    with progress("starting") as listener:
        from cli.wiring.training.fitting import train_evaluator, train_evaluator_from_questions

        if questions is not None:
            figures = train_evaluator_from_questions(questions, readers, out, listener)
        else:
            assert passages is not None and squad is not None
            figures = train_evaluator(passages, squad, out, seed, listener)
    _tell(out, figures, as_json)


@app.command(epilog="Example: vouch train fusion")
def fusion(
    out: Annotated[Path | None, typer.Option(
        help="Where the model is written; needed with --questions or --beir.",
    )] = None,
    questions: Annotated[Path | None, typer.Option(
        help="Questions about the current documents: JSON lines of question, answerable, quotes, quote_paths.",
    )] = None,
    reader: ReaderOfCorpus = None,
    beir: Annotated[Path | None, typer.Option(metavar="DIR", help="A BEIR folder; needs --qrels.")] = None,
    qrels: Annotated[Path | None, typer.Option(help="Its judgments: query-id, corpus-id, score.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of every random choice; it is stored in the model.")] = 0,
    as_json: Json = False,
) -> None:
    """Train the fusion, which merges the results by words and by meaning into one list.

    Without --questions and --beir it learns from labels: what people judged, voted and were shown. This model is
    registered, and used once it is promoted: by hand, or with VOUCH_TRAINING__PROMOTE=automatic by this command or the
    weekly flow, once it has shadowed for long enough. With --questions or --beir it is written to a file, which
    VOUCH_FUSION__MODEL can name. Either way it is refused if it may rank held-out questions worse than the current
    ranking does.
    """
    if (beir is None) != (qrels is None):
        raise Usage("--beir and --qrels belong together", cure="give both")
    readers = by_corpus(reader)
    if questions is None and beir is None:
        if readers:
            raise Usage("--reader belongs to --questions", cure="give --questions FILE, or leave it out")
        _from_labels(out, seed, as_json)
        return
    if out is None:
        raise Usage("there is no place for the model", cure="give --out FILE")
    with progress("starting", lines=not as_json) as listener:
        from cli.wiring.training.fitting import train_fusion

        figures = train_fusion(questions, readers, beir, qrels, out, seed, listener)
    refused = figures["refused"]
    how = f"it is not to serve: {refused}" if refused else f"use it with VOUCH_FUSION__MODEL={out}"
    _tell(out, figures, as_json, f"; {how}")


def _from_labels(out: Path | None, seed: int, as_json: bool) -> None:
    with progress("starting", lines=not as_json) as listener:
        from cli.wiring.training.fitting import train_from_labels

        found = train_from_labels(out, seed, listener)
    _say_registered(found, out, as_json)


def _say_registered(found: dict[str, Any], out: Path | None, as_json: bool) -> None:
    """The gates, what it is called, and what comes next."""
    if as_json:
        emit(found)
        return
    from vouch.learning.training.training_report import gain_of, left_out_line

    table(["gate", "", "found", "at least", ""], [
        (gate["name"], "passed" if gate["passed"] else "not passed", _number(gate["found"]), _number(gate["least"]),
         gate["told"])
        for gate in found["gates"]
    ])
    if told := left_out_line(found.get("labels", {}).get("left_out", {})):
        say(told)
    what = "registered" if found["new"] else "was registered before"
    say(f"{found['name']} {what}: {found['state']}{': ' + found['reason'] if found['reason'] else ''}")
    say(f"its report: {found['report']}/report.md" + (f"; written to {out}" if out else ""))
    _say_advanced(found)
    gain = gain_of(found)
    if found["state"] == "candidate" and gain is not None and gain <= 0:
        say(f"note: it ranked the held-out questions no better than what ranks now: gain {gain:g} in nDCG@10")
    for step in found["next"]:
        say(f"next: {step}")


def _say_advanced(found: dict[str, Any]) -> None:
    """What became of the candidate and of what shadowed before, where a training goes on by itself."""
    if found.get("promoted"):
        say(f"{found['promoted']} has shadowed for long enough: it serves now")
    if found.get("shadows"):
        later = f", and does not serve yet: {found['waits']}" if found["waits"] else "; a later training promotes it"
        say(f"{found['shadows']} shadows{later}")
    if found.get("unfit"):
        say(f"the candidate does not shadow: {found['unfit']}")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


class Metric(StrEnum):
    recall = "recall"
    answer = "answer"


@app.command(epilog="Example: vouch train agent questions.jsonl --reader handbook=group:staff")
def agent(
    questions: Annotated[Path, typer.Argument(metavar="QUESTIONS", help=(
        "Questions about the current documents: JSON lines of question, answerable, quotes, quote_paths."))],
    reader: ReaderOfCorpus = None,
    validation: Annotated[Path | None, typer.Option(metavar="FILE", help=(
        "Other questions to judge it by. Default: about two in five of QUESTIONS are held out for this."))] = None,
    steps: Annotated[int, typer.Option(min=1, max=8, help="Most further steps for one question.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Most rounds.")] = 6,
    batch: Annotated[int, typer.Option(min=2, help="Questions compared in a round: half done well, half badly.")] = 20,
    metric: Annotated[Metric, typer.Option(
        help="What share of a question's quotes counts: recall, of those found for its answer; answer, of those in it.",
    )] = Metric.recall,
    well: Annotated[float, typer.Option(min=0, max=1, help="From this share on, a question was done well.")] = 0.75,
    badly: Annotated[float, typer.Option(min=0, max=1, help="Up to this share, a question was done badly.")] = 0.5,
    seed: Annotated[int, typer.Option(help="Seed of every random choice; it is stored in the model.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Also write the model to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Train the planner of further steps: which searches it makes, in which order, and when it stops.

    Each round runs it on the questions, compares those it did well with those it did badly, and tries a change. The
    best planner is registered, and used once it is promoted. It is refused unless it finds more of what held-out
    questions need, or as much in fewer steps.
    """
    readers = by_corpus(reader)
    with progress("starting", lines=not as_json) as listener:
        from cli.wiring.training.fitting import train_agent
        from vouch.learning.agent.loop import Plan

        plan = Plan(rounds, well, badly, batch, most_steps=steps, seed=seed, metric=metric.value)
        registered = train_agent(questions, validation, readers, plan, out, listener, complain)
    _say_registered(registered, out, as_json)


@app.command(epilog="Example: vouch train judge --pairs squad2_train.jsonl.gz --pairs policies.jsonl.gz --out judge")
def judge(
    out: Annotated[Path, typer.Option(help="Folder of the judge. An interrupted run is resumed, except with a T5.")],
    pairs: Annotated[list[Path] | None, typer.Option(
        help="Labeled pairs. Name a file twice to draw twice as many of them.")] = None,
    mean: Annotated[list[Path] | None, typer.Option(
        help="Folder of a judge; the mean of their weights is written. Instead of --pairs, and at least two.")] = None,
    base: Annotated[Path | None, typer.Option(
        help="Folder of a T5 to train as in Corrective RAG, instead of the encoder that comes with vouch.",
    )] = None,
    steps: Annotated[int | None, typer.Option(
        min=1, help="Training steps. Default: 600 of 32 pairs; for a T5, of 12 pairs, until each was seen 8 times.",
    )] = None,
    batches: Annotated[int, typer.Option(
        min=1, help="Batches of 32 pairs in a step; 4 suit a GPU. Not for a T5.",
    )] = 1,
    dropout: Annotated[float, typer.Option(
        min=0.0, max=0.9, help="Share of each layer that a step leaves out; 0.1 suits a GPU. Not for a T5.",
    )] = 0.0,
    look_every: Annotated[int, typer.Option(min=1, help="Steps between checks on held-out pairs.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of every random choice; it is stored in the judge.")] = 0,
    as_json: Json = False,
) -> None:
    """Train a model that judges whether a passage answers a question; VOUCH_EVALUATOR__JUDGE uses it."""
    if bool(pairs) == bool(mean):
        raise Usage("a judge is trained on pairs, or is the mean of others", cure="give --pairs or --mean")
    if base is not None and (batches > 1 or dropout):
        raise Usage("a T5 is trained by batches of 12 pairs, without dropout",
                    cure="leave --batches and --dropout out")
    with progress("starting") as listener:
        from cli.wiring.training.judge import mean_judge, train_judge

        figures = mean_judge(mean, out) if mean else train_judge(
            pairs or [], out, steps, look_every, seed, listener, base, batches, dropout)
    _tell(out, figures, as_json, f"; use it with VOUCH_EVALUATOR__JUDGE={out}, and train an evaluator with it")


def _tell(out: Path, figures: dict[str, Any], as_json: bool, how: str = "") -> None:
    if as_json:
        emit({"out": str(out), **figures})
        return
    for name, value in figures.items():
        say(f"{name}: {value}")
    say(f"written to {out}{how}")
