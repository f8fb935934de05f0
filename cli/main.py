"""The `vouch` command: commands in packages by what people do. Heavy libraries load only where a command needs them."""

import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer

from bots.wrapping import Line
from cli.administration import access, dead, directory, doctor, status, upkeep, versions
from cli.asking import ask, feedback, search, trace
from cli.demos import demo
from cli.evaluation import evaluate, golden
from cli.learning import calibrate, examples, gaps, label, models, train
from cli.serving import serve, slack, worker
from cli.sources import documents, drafts, ingest, purge, source, watch
from cli.terminal.completion import use_own_script
from cli.terminal.elapsed import waiting
from cli.terminal.help import Root
from cli.terminal.interrupts import INTERRUPTED, stems_from_interrupt
from cli.terminal.nested import within
from cli.terminal.output import OutputClosed, complain, say
from vouch.errors import Usage, VouchError

app = typer.Typer(
    name="vouch",
    help="Answer questions from your own documents, with citations, from what every reader may see and nothing else.",
    cls=Root,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,              # plain help loads no rich: a third of the time
    context_settings={"help_option_names": ["-h", "--help"]},
)
INTERNAL = 70
_THEIR_WORDS = {
    "Value error, ": "",
    "Input should be a valid integer, unable to parse string as an integer": "it must be a whole number",
    "Input should be ": "it must be ",
}


_MISSING = re.compile(r"Missing (option|argument) '([^']++)'\.(?: Choose from:(.*))?", re.DOTALL)
_WRONG = re.compile(r"Invalid value for '([^']++)': (.*)", re.DOTALL)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"vouch {version('vouch')}")
        raise typer.Exit


@app.callback()
def options(
    ctx: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the full traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Answer questions from your own documents, with citations, from what every reader may see and nothing else."""
    waiting.begin()
    within(ctx.command.main)


for group in (
    source, directory, versions, train, label, models, evaluate, golden, access, examples, dead, slack, drafts,
):
    app.add_typer(group.app, name=group.__name__.rpartition(".")[2])
for module in (
    ingest, watch, documents, ask, search, trace, serve, worker, feedback, purge, status, doctor, upkeep, calibrate,
    gaps, demo,
):  # fmt: skip
    module.register(app)


def run() -> None:
    """Runs the command line. An error ends in one line with cause and cure, and its own exit code."""
    words, debug = _without_debug(sys.argv[1:])
    use_own_script()
    try:
        _refuse_odd_bytes(words)
        code = _commands(app)(args=words, prog_name="vouch", standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except VouchError as error:
        if debug:
            raise
        _say(error.cause, error.cure)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _say("interrupted", "run the command again: finished work is kept")
        sys.exit(INTERRUPTED)
    except (BrokenPipeError, OutputClosed):
        _stay_quiet()
        sys.exit(0)
    except Exception as error:
        if debug and not _is_wrong_usage(error):
            raise
        if stems_from_interrupt(error):
            _say("interrupted", "run the command again: finished work is kept")
            sys.exit(INTERRUPTED)
        _refuse(error)


@cache
def _commands(program: typer.Typer) -> Callable[..., Any]:
    """What reads the words of all commands: made once, however many are run in this process."""
    return typer.main.get_command(program)


def _without_debug(words: Sequence[str]) -> tuple[list[str], bool]:
    """The words without `--debug`, which may stand anywhere before a `--`, and whether it was among them."""
    end = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word != "--debug"]
    return [*kept, *words[end:]], len(kept) < end


def _stay_quiet() -> None:
    """Whoever read the output is gone; Python would complain when it empties its buffer at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse_odd_bytes(words: Sequence[str]) -> None:
    """Python reads bytes that are not UTF-8 as surrogates, which neither log nor ledger takes."""
    if any("\ud800" <= letter <= "\udfff" for word in words for letter in word):
        raise Usage("a word of the command is not UTF-8", cure="write it in UTF-8; rename a file of such a name")


def _refuse(error: Any) -> None:
    """Wrong usage is explained by the parser itself; anything else is a fault of ours."""
    if _is_wrong_usage(error):
        where = getattr(error, "ctx", None)
        _say(_in_our_words(error.format_message()), f"{where.command_path if where else 'vouch'} --help")
        sys.exit(error.exit_code)
    _say(f"internal error: {type(error).__name__}: {error}", "run again with: vouch --debug …, and report it")
    sys.exit(INTERNAL)


def _in_our_words(message: str) -> str:
    """Without the words of the libraries that read the command line and check the values."""
    for theirs, ours in _THEIR_WORDS.items():
        message = message.replace(theirs, ours)
    if missing := _MISSING.match(message):
        kind, name, choices = missing.groups(default="")
        among = ", ".join(choice.strip(",") for choice in choices.split())
        name = name.upper() if kind == "argument" else name
        return f"{name} is missing: choose from {among}" if among else f"{name} is missing"
    if wrong := _WRONG.match(message):
        return f"{wrong[1]}: {wrong[2]}"
    return message


def _is_wrong_usage(error: Any) -> bool:
    """Whether the parser of the command line raised it."""
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def _say(cause: str, cure: str) -> None:
    complain(Line("error:", "bad"), f" {cause}")
    if cure:
        complain(Line("  try:", "strong"), f" {cure}")


if __name__ == "__main__":
    run()
