"""The `vouch` command. Each subcommand has a file; heavy libraries are loaded only by the command that needs them."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from cli import (
    access,
    ask,
    dead,
    demo,
    directory,
    doctor,
    documents,
    evaluate,
    feedback,
    ingest,
    migrate,
    notify,
    purge,
    rebuild,
    search,
    sender,
    show,
    source,
    status,
    tidy,
    train,
    versions,
    watch,
    worker,
)
from vouch.errors import Usage, VouchError

app = typer.Typer(
    name="vouch",
    help="Answers from your own documents, cited, and only from what every reader may see.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,              # plain help loads no rich: a third of the time
    context_settings={"help_option_names": ["-h", "--help"]},
)
INTERRUPTED, INTERNAL = 130, 70


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the full traceback of an error.")] = False,
) -> None:
    """Holds the options that stand before the subcommand."""


for group in (source, directory, versions, train, evaluate, access, dead):
    app.add_typer(group.app, name=group.__name__.rpartition(".")[2])
for module in (
    ingest, rebuild, watch, notify, documents, ask, search, show, worker, sender, feedback, purge, tidy, status, doctor,
    migrate, demo,
):  # fmt: skip
    module.register(app)


def run() -> None:
    """Runs the command line. An error ends in one line with cause and cure, and its own exit code."""
    debug = "--debug" in sys.argv[1:]
    try:
        _refuse_odd_bytes(sys.argv[1:])
        code = app(standalone_mode=False)
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
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        if debug:
            raise
        if _stems_from_interrupt(error):
            _say("interrupted", "run the command again: finished work is kept")
            sys.exit(INTERRUPTED)
        _refuse(error)


def _refuse_odd_bytes(words: Sequence[str]) -> None:
    """Python reads bytes that are not UTF-8 as surrogates, which neither log nor ledger takes."""
    if any("\ud800" <= letter <= "\udfff" for word in words for letter in word):
        raise Usage("a word of the command is not UTF-8", cure="write it in UTF-8; rename a file of such a name")


def _stems_from_interrupt(error: BaseException | None) -> bool:
    """Libraries wrap the Ctrl-C that hits them in errors of their own."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or "KeyboardInterrupt" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _refuse(error: Exception) -> None:
    """Wrong usage is explained by the parser itself; anything else is a fault of ours."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        where = getattr(error, "ctx", None)
        _say(error.format_message(), f"{where.command_path if where else 'vouch'} --help")
        sys.exit(error.exit_code)
    _say(f"internal error: {type(error).__name__}: {error}", "run again with: vouch --debug …, and report it")
    sys.exit(INTERNAL)


def _say(cause: str, cure: str) -> None:
    print(f"error: {cause}", file=sys.stderr)  # noqa: T201
    if cure:
        print(f"  try: {cure}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    run()
