"""vouch sender: brings answers to their surfaces until stopped."""

from typing import Annotated

import typer

from cli.output import say


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch sender")(sender)


def sender(
    drain: Annotated[bool, typer.Option("--drain", help="Stop when no answer is due.")] = False,
) -> None:
    """Send answers until Ctrl-C or SIGTERM, for workers that run with `--without replies`.

    Each is sent once, after another look at the permissions of its readers. An
    answer that they may no longer read is replaced by a new one.
    """
    from cli.wiring.processes import open_sender

    with open_sender() as process:
        say("sender ready")
        process.work(drain=drain)
        say("sender stopped")
