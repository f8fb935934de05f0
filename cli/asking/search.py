"""vouch search and vouch show: permission-scoped search, and a cited chunk with its surroundings."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bots.wrapping import Line, wrap
from cli.asking.excerpt import excerpt
from cli.asking.questions import ChangedAfter, FromPaths, FromSources, OwnedBy, filters_of
from cli.terminal import screen
from cli.terminal.activity import progress, waiting
from cli.terminal.output import FLAGGED, Json, Readers, emit, hint_why_nothing, on_one_line, say, warn, warn_unreadable
from vouch.documents.formats import shown_title
from vouch.errors import Usage

if TYPE_CHECKING:
    from vouch.ports.models import Analyse

_USAGE = 'vouch search "TEXT", or vouch search --queries FILE.jsonl'
_SET_IN = "     "


class Mode(StrEnum):
    fused = "fused"
    lexical = "lexical"
    dense = "dense"
    reranked = "reranked"


_ORDERED = {Mode.fused: "", Mode.reranked: "; the order is the reranker's"}


def register(app: typer.Typer) -> None:
    app.command(epilog='Example: vouch search "vpn token" --as group:engineering --top 5')(search)
    app.command(epilog="Example: vouch show 3f2a…  --as user:ana@acme.test")(show)


def search(
    text: Annotated[
        list[str] | None, typer.Argument(metavar="[TEXT]…", help="What to look for; - reads it from standard input.")
    ] = None,
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many results.")] = 10,
    mode: Annotated[
        Mode, typer.Option(help="Which ranking to show; lexical needs no model; reranked is what answers use.")
    ] = Mode.fused,
    queries: Annotated[
        Path | None, typer.Option(help='Many at once: JSON lines of {"id", "text", "as": [TAG…]}.')
    ] = None,
    sources: FromSources = [],  # noqa: B006
    paths: FromPaths = [],  # noqa: B006
    after: ChangedAfter = None,
    owners: OwnedBy = [],  # noqa: B006
    explain: Annotated[bool, typer.Option(help=(
        "Show what the fused score of each result is made of: features, their weights, what each adds, and the total. "
        "With --mode reranked also the reranker's score, which decides the order."))] = False,
    as_json: Json = False,
) -> None:
    """Search what every --as reader may read. Without --as: public documents only.

    --source, --path, --after and --owner limit which documents are searched; scores are computed from these alone.
    """
    from cli.asking.questions import one_or_many, unread_keys

    if explain and mode not in (Mode.fused, Mode.reranked):
        raise Usage(f"--explain tells what the fused score is made of, and --mode {mode.value} does not order by it",
                    cure="leave out --mode, or use --mode reranked")
    filters = filters_of(sources, paths, after, owners)
    wanted = one_or_many(text or [], readers, queries, usage=_USAGE)
    if told := unread_keys(wanted, takes_steps=False):
        warn(told)
    with progress("searching") as tell:
        from cli.wiring.asking import open_search

        finder = open_search()
        warn_unreadable(finder.permissions())
        for number, query in enumerate(wanted):
            for doubt in query.doubts(finder.permissions().directory):
                warn(doubt)
            tell("searching", number, len(wanted) if queries else 0)
            row = finder.search(query.text, query.tags, top, mode.value, filters, explain=explain)
            if query.id is not None:
                row = {"id": query.id, **row}
            if as_json or queries:
                emit(row)
                continue
            _tell(row, query.text, finder.analyser.terms)
            if explain:
                say(row.get("why_nothing") or f"fused by {row['fused_by']}{_ORDERED[mode]}")
            if not row["results"]:
                hint_why_nothing(query.tags, finder.permissions(), sources)


def _tell(row: dict[str, Any], text: str, terms: "Analyse") -> None:
    for warning in row["warnings"]:
        say(f"note: {warning}")
    if not row["results"]:
        say("nothing found in what these readers may read")
    for result in row["results"]:
        location = f"{result['source']}:{result['path']}" + (f", {result['place']}" if result["place"] else "")
        heading = " > ".join(result["section"]) or shown_title(result["title"], result["path"])
        for line in wrap(on_one_line(f"{heading}   [{location}]"), screen.width(), f"{result['rank']:3}. ", _SET_IN):
            say(Line(line, "strong"))
        if result["flagged"]:
            for line in wrap(FLAGGED, screen.width(), _SET_IN, _SET_IN):
                say(line)
        for line in wrap(excerpt(result["text"], text, terms), screen.width(), _SET_IN, _SET_IN):
            say(line)
        for line in _why(result):
            say(Line(f"{_SET_IN}{line}", "faint"))
        say(Line(f"{_SET_IN}{result['chunk_id']}", "faint"))


def _why(result: dict[str, Any]) -> list[str]:
    """Each feature that adds something to the fused score, with its weight, the most first; before them, whether the
    result stands where it does because the search names its row."""
    from vouch.retrieval.named_rows import NAMED_ROW

    if "why" not in result:
        return []
    reranked = result["scores"]["rerank"]
    read = [] if reranked is None else [f"{reranked:9.4f}  score of the reranker"]
    if any(part["feature"] == NAMED_ROW for part in result["why"]):
        return ["before all others: it has the row that the search names", *read, *_adding(result)]
    return [*read, *(_adding(result) or ["drawn in beside another result: no engine found it"])]


def _adding(result: dict[str, Any]) -> list[str]:
    """What each feature adds, and the total below."""
    adding = [part for part in result["why"] if part["adds"]]
    lines = [f"{part['adds']:+9.4f}  {part['feature']} = {part['value']:.6g}{_weighed(part)}" for part in adding]
    total = f"{sum(part['adds'] for part in adding):9.4f}  total: the fused score"
    return [*lines, total] if adding else []


def _weighed(part: dict[str, Any]) -> str:
    if part["weight"] is None:
        return ""
    from vouch.learning.models.fusion_model import FARTHEST

    mean, deviation = part["mean"], part["deviation"]
    if mean is None or deviation is None:
        return f", weight {part['weight']:g}"
    far = f", counted as {FARTHEST:g} deviations" if abs(part["value"] - mean) > FARTHEST * deviation else ""
    return f", mean {mean:g}, deviation {deviation:g}, weight {part['weight']:g}{far}"


def show(
    chunk_id: Annotated[str, typer.Argument(help="Id of a chunk; the first six digits are enough.")],
    readers: Readers = [],  # noqa: B006  (the parser needs a literal)
    around: Annotated[int, typer.Option(min=0, max=10, help="Chunks before and after.")] = 1,
    as_json: Json = False,
) -> None:
    """Show a chunk between its neighbors, if every --as reader may read it."""
    with waiting("looking"):
        from cli.wiring.asking import open_search

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
