"""vouch show: a cited chunk with its surroundings."""

from typing import Annotated

import typer

from cli.activity import waiting
from cli.output import FLAGGED, Json, Readers, emit, say


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch show 3f2a…  --as user:ana@acme.test")(show)


def show(
    chunk_id: Annotated[str, typer.Argument(help="Id of a chunk; the first six digits are enough.")],
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    around: Annotated[int, typer.Option(min=0, max=10, help="Chunks before and after.")] = 1,
    as_json: Json = False,
) -> None:
    """Show a chunk between its neighbors, if every --as reader may read it."""
    with waiting("looking"):
        from cli.wiring.search import open_search

        row = open_search().show(chunk_id, readers or ["public"], around)
    if as_json:
        emit(row)
        return
    say(f"{row['source']}:{row['path']}   {' > '.join(row['section']) or row['title']}")
    for passage in row["passages"]:
        mark = "»" if passage["chunk_id"] == row["chunk_id"] else " "
        say(f"{mark} {passage['place'] or '…'}")
        if passage["flagged"]:
            say(f"{mark}   {FLAGGED}")
        for line in passage["text"].splitlines():
            say(f"{mark}   {line}")
