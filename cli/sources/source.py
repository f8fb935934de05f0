"""vouch source: where documents come from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import completion
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, say, table, warn
from vouch.plurals import count

if TYPE_CHECKING:
    from services.documents.administration import Administration

app = command_group("Add, list and remove the places documents come from.")


Include = Annotated[
    list[str] | None,
    typer.Option(help="Read only what matches this pattern, written as in .gitignore. May be repeated."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(help="Do not read what matches this pattern, written as in .gitignore. May be repeated."),
]


KINDS = "folder (of documents), events (a file of change events), or git (a repository)."


Name = Annotated[str, typer.Argument(help="Name of the source.", autocompletion=completion.sources)]


@app.command(epilog="Example: vouch source add handbook --kind folder --path ./handbook --access ./access.yaml")
def add(
    name: Annotated[str, typer.Argument(help="A short name: letters, digits, dot, dash, underscore.")],
    kind: Annotated[str, typer.Option(help=KINDS, autocompletion=completion.kinds)],
    path: Annotated[Path, typer.Option(help="The folder, events file (.jsonl, .jsonl.gz) or repository.")],
    access: Annotated[
        Path | None, typer.Option(help="Access file. Default for a folder: its own access.yaml, if it exists.")
    ] = None,
    branch: Annotated[
        str | None, typer.Option(help="Branch of a git repository. Default: the branch HEAD points to.")
    ] = None,
    include: Include = None,
    exclude: Exclude = None,
    as_json: Json = False,
) -> None:
    """Add a source. Nothing is read until the next ingest."""
    from cli.wiring.administration import open_administration
    from services.documents.sources import add_source
    from vouch.adapters.access.files import read_rules
    from vouch.adapters.sources.kinds import kind_named

    location, own = path.expanduser().absolute(), None
    if kind_named(kind).files:
        own = location / "access.yaml"      # it may come later: it is watched
    rules = access.expanduser().absolute() if access is not None else own
    admin = open_administration()
    row = add_source(admin, name, kind, location, rules, branch, include or (), exclude or ())
    if own is not None and own.is_file() and own != rules:
        warn(f"{own} is not used: {rules} is")
    book = read_rules(rules)
    if book.broken and not book.absent:
        warn(f"{book.broken}; until then nobody may read {name}")
    _warn_of(admin, name)
    rules_told = f", {count(len(book.rules), 'access rule')}" if book.rules else ""
    emit(row) if as_json else say(f"added {name}: {kind} {row['path']}{rules_told}")


@app.command("list", epilog="Example: vouch source list --json")
def list_sources(as_json: Json = False) -> None:
    """List the sources and whether their access rules can be understood."""
    from cli.wiring.administration import open_administration
    from services.documents.sources import source_rows, told_rules

    rows = source_rows(open_administration())
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["name", "kind", "path", "access", "rules"],
          [(row["name"], row["kind"], row["path"], row["access"], told_rules(row["rules"])) for row in rows],
          empty="there are no sources; vouch source add brings in the first")
    for row in rows:
        for warning in row["unread"]:
            warn(f"{row['name']}: {warning}")
        if row["waiting"]:
            say(_waiting(row["name"], row["waiting"]))


@app.command(epilog="Example: vouch source access handbook ./access.yaml")
def access(
    name: Name,
    file: Annotated[Path, typer.Argument(help="The new access file.")],
    as_json: Json = False,
) -> None:
    """Use another access file for a source.

    What it forbids takes effect at once, what it newly allows after the next ingest. A file that cannot be understood
    is refused, and the earlier rules stay.
    """
    from cli.wiring.administration import open_administration
    from services.documents.sources import set_access
    from vouch.adapters.access.files import read_rules
    from vouch.errors import BadInput

    rules_path = file.expanduser().absolute()
    new_rules = read_rules(rules_path)
    if new_rules.broken and not new_rules.absent:
        raise BadInput(new_rules.broken, cure=f"fix it and run this again; the rules of {name} did not change")
    admin = open_administration()
    book = set_access(admin, name, rules_path)
    _warn_of(admin, name)
    waiting = admin.access_report().waiting(name)
    if as_json:
        emit({"name": name, "access": str(rules_path), "rules": len(book.rules), "waiting": waiting})
        return
    decide = "decides" if len(book.rules) == 1 else "decide"
    say(f"{name}: {count(len(book.rules), 'rule')} of {rules_path} {decide} from now on")
    if waiting:
        say(_waiting(name, waiting))


@app.command("set", epilog="Example: vouch source set handbook --path /mnt/share/handbook --exclude drafts/")
def set_source(
    name: Name,
    path: Annotated[Path | None, typer.Option(help="Where its documents are from now on.")] = None,
    branch: Annotated[str | None, typer.Option(help="Another branch of a git repository.")] = None,
    include: Include = None,
    exclude: Exclude = None,
    all_files: Annotated[bool, typer.Option("--all-files", help="Remove all include and exclude patterns.")] = False,
    access: Annotated[str | None, typer.Option(hidden=True)] = None,
    as_json: Json = False,
) -> None:
    """Change where a source is, or what of it is read. The change takes effect at the next ingest.

    New patterns replace all earlier ones of their kind. If the rules are in the folder's own access.yaml, a new
    path has other rules, and the documents are hidden until that ingest.
    """
    from cli.wiring.administration import open_administration
    from services.documents import sources
    from vouch.errors import Usage

    if access is not None:
        raise Usage("another access file is named by a command of its own", cure=f"vouch source access {name} {access}")
    if path is None and branch is None and not include and not exclude and not all_files:
        raise Usage("nothing to change was named", cure="vouch source set --help")
    location = None if path is None else path.expanduser().absolute()
    none: list[str] | None = [] if all_files else None
    admin = open_administration()
    row, hidden = sources.set_source(admin, name, location, branch, include or none, exclude or none)
    unreadable = admin.watched.permissions().unreadable.get(name)
    if unreadable:
        warn(f"{unreadable}; until then nobody may read {name}")
    if as_json:
        emit({**row, "hidden_until_ingest": hidden})
        return
    say(f"{name}: {row['kind']} {row['path']}, rules of {row['access'] or 'nowhere'}; run vouch ingest")
    if hidden:
        say("  its documents are hidden until then, as the rules at the new path were not made for them")


@app.command(epilog="Example: vouch source remove handbook")
def remove(name: Name, as_json: Json = False) -> None:
    """Remove a source. Its documents are hidden at once and leave the index at the next ingest.

    Its name may be used again; what the former source left in earlier versions stays hidden.
    """
    from cli.wiring.administration import open_administration
    from services.documents.sources import remove_source

    remove_source(open_administration(), name)
    emit({"removed": name}) if as_json else say(f"removed {name}; run vouch ingest to drop its documents")


def _warn_of(admin: "Administration", name: str) -> None:
    from services.documents.sources import source_warnings

    for told in source_warnings(admin, name):
        warn(told)


def _waiting(name: str, documents: int) -> str:
    of = count(documents, "document")
    return f"{name}: what its rules newly allow for {of} takes effect after the next vouch ingest"
