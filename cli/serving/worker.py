"""vouch worker and vouch sender: answer, ingest, count votes and send replies until stopped."""

from enum import Enum
from typing import Annotated

import typer

from cli.terminal.output import say


class Part(Enum):
    """Work that a worker can leave to other processes."""

    DOCUMENTS = "documents"
    REPLIES = "replies"


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch worker --without replies")(worker)
    app.command(epilog="Example: vouch sender")(sender)


def worker(
    drain: Annotated[bool, typer.Option("--drain", help="Stop when the log is empty.")] = False,
    without: Annotated[
        list[Part],
        typer.Option(metavar="replies|documents", help=(
            "Leave this work to others: replies to `vouch sender`, documents to another worker.")),
    ] = [],  # noqa: B006  (the parser needs a literal)
) -> None:
    """Answer questions, ingest changes, and count votes from the log, until Ctrl-C or SIGTERM.

    It also sends the answers, unless `--without replies` leaves that to `vouch sender`.
    """
    from cli.wiring.processes import open_worker

    with open_worker(ingests=Part.DOCUMENTS not in without, sends=Part.REPLIES not in without) as process:
        process.work(drain=drain, ready=lambda: say("worker ready"))
        say("worker stopped")


def sender(
    drain: Annotated[bool, typer.Option("--drain", help="Stop when no answer is due.")] = False,
) -> None:
    """Send answers until Ctrl-C or SIGTERM, for workers that run with `--without replies`.

    Each answer is sent once, after the permissions of its readers are checked again. An answer that they may no longer
    read is replaced by a new one.
    """
    from cli.wiring.processes import open_sender

    with open_sender() as process:
        say("sender ready")
        process.work(drain=drain)
        say("sender stopped")
