"""vouch purge: forget a document everywhere, and prove it."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.terminal import completion
from cli.terminal.activity import progress, waiting
from cli.terminal.output import Json, emit, moment, say, table
from vouch.documents.fingerprints import LEAST
from vouch.errors import Usage
from vouch.plurals import count

if TYPE_CHECKING:
    from flows.purging.forgetting import Forgotten
    from flows.runs.purge import Outlook
    from flows.shared.components import IngestComponents

Place = tuple[str, str]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch purge handbook:people/salaries.md --dry-run")(purge)


def purge(
    document: Annotated[str | None, typer.Argument(
        metavar="[DOCUMENT]", help="SOURCE:PATH of a document.", autocompletion=completion.documents,
    )] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: it cannot be undone.")] = False,
    with_copies: Annotated[
        bool, typer.Option("--with-copies", help="Also purge other paths with the same bytes.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would go; change nothing.")] = False,
    allow: Annotated[
        str | None, typer.Option(metavar="DOCUMENT", help="Let a purged document come back with the next ingest.",
                                 autocompletion=completion.purged)
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List what was purged.")] = False,
    as_json: Json = False,
) -> None:
    """Delete a document from every version, cache, answer and message, search for what is left, and keep it away.

    Exit code 8 if anything is left; the purge then stays pending.
    """
    if sum((document is not None, allow is not None, listing)) != 1:
        raise Usage("give a document, --allow or --list", cure="vouch purge SOURCE:PATH")
    if listing:
        _list(as_json)
    elif allow is not None:
        _allow(_place(allow), as_json)
    elif document is not None:
        _purge(_place(document), yes, with_copies, dry_run, as_json)


def _purge(place: Place, yes: bool, with_copies: bool, dry_run: bool, as_json: bool) -> None:
    if not (yes or dry_run or sys.stdin.isatty()):
        raise Usage("a purge cannot be undone", cure="see what it takes with --dry-run, then run it with --yes")
    with waiting(f"looking for {_names((place,))[0]}"):
        from cli.wiring.ingest import ingest_components
        from flows.runs.purge import look
        from flows.runs.purge import purge as forget

        components = ingest_components()
        begun = _begun(components, place)
        outlook = None if begun else look(components, place, with_copies=with_copies)
    if outlook is not None and (dry_run or not yes):
        _tell(outlook, as_json)
    if dry_run:
        if begun:
            say(f"the purge of {place[0]}:{place[1]} was begun; it goes on with the next run")
        return
    if not (yes or begun or typer.confirm("Purge it forever?")):
        say("nothing was changed")
        return
    with progress("purging") as listener:
        done = forget(components, place, with_copies=with_copies, progress=listener)
    if as_json:
        emit(asdict(done))
        return
    say(
        f"purged {', '.join(done.places)}: rewrote {count(len(done.rewritten), 'version')}, "
        f"reduced {count(done.answers, 'answer')}, "
        f"deleted {count(done.labels, 'label')}, {count(done.messages, 'message')} and {count(done.vectors, 'vector')}"
    )
    say(_proof(done, components))
    for words in done.unproven:
        say(f"not proven: {words}")
    if done.version is not None:
        say(f"version {done.version} is current")


def _proof(done: "Forgotten", components: "IngestComponents") -> str:
    """What was looked for and where, and no more than that."""
    if not done.searched_for:
        return "an earlier run had searched for what is left, and found nothing"
    return (
        f"no text of it ({LEAST} or more characters of whole words) is left in the files of {components.home} or "
        f"in the ledger, except where other documents say the same; nor any of its vectors, row keys, ids and index "
        f"terms ({done.searched_for} of all these were looked for)"
    )


def _begun(components: "IngestComponents", place: Place) -> bool:
    return any(row.place == place for row in components.ledger.purges.unfinished())


def _tell(outlook: "Outlook", as_json: bool) -> None:
    row = {
        "places": _names(outlook.places),
        "contents": outlook.contents,
        "versions": list(outlook.versions),
        "former_places": _names(outlook.former),
        "copies": _names(outlook.copies),
    }
    if as_json:
        emit(row)
        return
    extent = f"{count(outlook.contents, 'content')} in {count(len(outlook.versions), 'version')}"
    say(f"{', '.join(_names(outlook.places))}: {extent}")
    for name in _names(outlook.former):
        say(f"  it was at {name} before")
    for name in _names(outlook.copies):
        say(f"  the same bytes are also at {name}: purge that too with --with-copies, or the purge stops")


def _list(as_json: bool) -> None:
    from cli.wiring.administration import open_administration

    rows: list[dict[str, Any]] = [
        {
            "document": f"{row.source}:{row.path}",
            "state": "done" if row.state == "done" else "pending",
            "at": row.at.isoformat(),
            "done_at": row.done_at.isoformat() if row.done_at else None,
            "contents": len(row.hashes),
        }
        for row in open_administration().ledger.purges.all()
    ]
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["document", "state", "asked for", "done", "contents"],
          [(r["document"], r["state"], moment(r["at"]), moment(r["done_at"]), r["contents"]) for r in rows],
          empty="nothing has been purged")


def _allow(place: Place, as_json: bool) -> None:
    from cli.wiring.administration import open_administration

    open_administration().ledger.purges.allow(*place)
    name = f"{place[0]}:{place[1]}"
    emit({"allowed": name}) if as_json else say(f"{name} may come back with the next ingest")


def _place(document: str) -> Place:
    source, colon, path = document.partition(":")
    if not (source and colon and path):
        raise Usage(f"{document} is not the name of a document", cure="name it SOURCE:PATH as vouch documents lists it")
    return source, path


def _names(places: tuple[Place, ...]) -> list[str]:
    return [f"{source}:{path}" for source, path in places]
