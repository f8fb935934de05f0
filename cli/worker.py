"""vouch worker: answers questions, ingests changes and takes feedback from the log until stopped."""

from typing import Annotated

import typer

from cli.output import say


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch worker")(worker)


def worker(
    drain: Annotated[bool, typer.Option("--drain", help="Stop when the log is empty.")] = False,
) -> None:
    """Work off the log until Ctrl-C or SIGTERM: questions become answers, changes are ingested, feedback counts."""
    from cli.wiring import open_desk

    with open_desk(ingesting=True) as desk:
        say("worker ready")
        desk.work(drain=drain)
        say("worker stopped")
