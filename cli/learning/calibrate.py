"""vouch calibrate: probabilities and thresholds of the evaluator, from the company's own questions."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cli.asking.questions import ReaderOfCorpus, by_corpus
from cli.terminal.activity import progress
from cli.terminal.output import Json, emit, say, table
from vouch.errors import NothingToLearn, Usage

_CURE = "judge with vouch label, let people vote, or give --questions FILE"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch calibrate --questions known.jsonl --reader hr=group:staff")(calibrate)


def calibrate(
    questions: Annotated[Path | None, typer.Option(
        help="More questions about the current documents: JSON lines of question, answerable, quotes, quote_paths.",
    )] = None,
    reader: ReaderOfCorpus = None,
    out: Annotated[Path | None, typer.Option(
        help="Also write it to this file, for VOUCH_EVALUATOR__MODEL of another home.",
    )] = None,
    as_json: Json = False,
) -> None:
    """Calibrate how sure the evaluator is, from judged and voted questions, and register the result.

    It starts from the evaluator that serves here, whose weights stay the same; not from one that is refused or retired.
    The settings VOUCH_CALIBRATION__… say what mistakes cost and how many questions are needed. A result that may be
    worse than the evaluator in use is refused; `vouch models promote` puts it to use. Where nothing could be fitted the
    exit code is 2, as of a training.
    """
    readers = by_corpus(reader)
    if readers and questions is None:
        raise Usage("--reader belongs to --questions", cure="give --questions FILE, or leave it out")
    with progress("starting", lines=not as_json) as listener:
        from cli.wiring.training.fitting import calibrate_evaluator

        outcome = calibrate_evaluator(questions, readers, out, listener)
    emit(outcome) if as_json else _show(outcome)
    if outcome["name"] is None:
        raise NothingToLearn(f"nothing is registered: {outcome['reason']}", cure=_CURE)


def _show(found: dict[str, Any]) -> None:
    say(f"{found['known']} of {found['questions']} questions have a known outcome; {found['answerable']} of them can "
        f"be answered; {found['passages']} passages are labeled")
    if "after" in found:
        gains = found["gains"]
        table(["figure, held out", "before", "after", "lower by", "95 % interval"],
              [(name, found["before"].get(name, ""), after, *_gain(gains.get(name)))
               for name, after in found["after"].items()])
    say(f"calibrated is what serves here: {found['former']}")
    if "lower" in found:
        say(f"slope {found['slope']:.3f}, offset {found['offset']:.3f}, lower {found['lower']}, upper {found['upper']}")
    if found["name"] is None:
        return
    if found["state"] == "refused":
        say(f"{found['name']} is registered and can never serve: {found['reason']}")
    else:
        say(f"{found['name']} is registered; next: vouch models promote {found['name']}")


def _gain(gain: list[float] | None) -> tuple[str, str]:
    return (f"{gain[0]:.4f}", f"{gain[1]:.4f} to {gain[2]:.4f}") if gain else ("", "")
