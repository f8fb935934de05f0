"""vouch search: permission-scoped search for people and for other programs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.output import Json, Readers, emit, hint_why_nothing, say, waiting, warn, warn_unreadable

_USAGE = 'vouch search "TEXT", or vouch search --queries FILE.jsonl'


class Mode(StrEnum):
    fused = "fused"
    lexical = "lexical"
    dense = "dense"


def register(app: typer.Typer) -> None:
    app.command(epilog='Example: vouch search "vpn token" --as group:engineering --top 5')(search)


def search(
    text: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]…", help="What to look for; - reads it from standard input.")
    ] = None,
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many results.")] = 10,
    mode: Annotated[Mode, typer.Option(help="Which ranking; lexical needs no model.")] = Mode.fused,
    queries: Annotated[
        Path | None, typer.Option(help='Many at once: JSON lines of {"id", "text", "as": [TAG…]}.')
    ] = None,
    as_json: Json = False,
) -> None:
    """Search what every named reader may read; without --as public documents only."""
    from cli.questions import one_or_many
    from cli.wiring.search import open_search

    wanted = one_or_many(text or [], readers, queries, usage=_USAGE)
    finder = open_search()
    warn_unreadable(finder.permissions())
    for query in wanted:
        for doubt in query.doubts(finder.permissions().directory):
            warn(doubt)
        with waiting("searching", not (as_json or queries)):
            row = finder.search(query.text, query.tags, top, mode.value)
        if query.id is not None:
            row = {"id": query.id, **row}
        if as_json or queries:
            emit(row)
            continue
        _tell(row)
        if not row["results"]:
            hint_why_nothing(query.tags, finder.permissions())


def _tell(row: dict[str, Any]) -> None:
    for warning in row["warnings"]:
        say(f"note: {warning}")
    if not row["results"]:
        say("nothing found in what these readers may read")
    for result in row["results"]:
        place = f"{result['source']}:{result['path']}" + (f", {result['place']}" if result["place"] else "")
        say(f"{result['rank']:3}. {' > '.join(result['section']) or result['title']}   [{place}]")
        say("     " + " ".join(result["text"].split())[:200])
        say(f"     {result['chunk_id']}")
