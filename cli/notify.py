"""vouch notify: say that documents of a source have changed."""

from typing import Annotated

import typer

from cli import completion
from cli.output import Json, emit, say


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch notify handbook travel/booking.md")(notify)


def notify(
    source: Annotated[str, typer.Argument(help="Name of the source.", autocompletion=completion.sources)],
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]…", help="Documents and folders in it; none means all of it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Announce that documents of a source changed. A running `vouch worker` ingests them when the source is quiet."""
    from cli.wiring.asking import open_announcer
    from services.documents.announcing import told

    with open_announcer() as announcer:
        sent = announcer.announce(source, paths)
    emit(sent.model_dump(mode="json")) if as_json else say(f"announced: {source}, {told(sent.paths)}")
