"""vouch access: what the rules decide, who may read what, and why."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.terminal import completion
from cli.terminal.activity import waiting
from cli.terminal.help import command_group
from cli.terminal.output import Json, emit, say, warn
from cli.terminal.reader_tags import checked_reader
from vouch.errors import BadInput
from vouch.plurals import count

_SHOWN = 3
Person = Annotated[str, typer.Argument(
    help="A reader: user:NAME, group:NAME or public.", autocompletion=completion.readers, callback=checked_reader,
)]
Document = Annotated[str, typer.Argument(
    help="SOURCE:PATH, or a PATH that only one source has.", autocompletion=completion.documents,
)]
app = command_group("Check and explain permissions.")


@app.callback()
def group() -> None:
    """Check and explain permissions."""


@app.command(epilog="Example: vouch access check company")
def check(
    source: Annotated[
        str | None, typer.Argument(help="Name of a source. Default: all of them.", autocompletion=completion.sources)
    ] = None,
    as_json: Json = False,
) -> None:
    """Show which documents each rule decides, and which rules do nothing. For administrators.

    The exit code is 5 if rules cannot be read.
    """
    with waiting("checking rules"):
        from cli.wiring.administration import open_administration

        admin = open_administration()
        if source is not None:
            admin.ledger.sources.get(source)
        report = admin.access_report()
        rows = [report.check(row) for row in report.sources if source in (None, row.name)]
    for row in rows:
        emit(row) if as_json else _tell_check(row)
    if broken := [row["source"] for row in rows if row["broken"]]:
        from vouch.access_check.sources import rules_cure

        raise BadInput(f"nobody may read the documents of {', '.join(broken)}: the rules cannot be read",
                       cure=rules_cure({name: admin.permissions.rulebooks[name] for name in broken}))


@app.command(epilog="Example: vouch access who company:people/salary-bands.md")
def who(document: Document, as_json: Json = False) -> None:
    """List everybody who can read DOCUMENT. For administrators."""
    with waiting("looking at documents"):
        from cli.wiring.administration import open_administration
        from services.documents.access_report import told_readers

        admin = open_administration()
        row = admin.access_report().who(admin.find(document))
    if as_json:
        emit(row)
        return
    say(f"{row['source']}:{row['path']} can be read by {told_readers(row)}")
    if row["owners"]:
        say(f"  owners: {', '.join(row['owners'])}")
    if row["state"] != "indexed":
        say("  it is quarantined, so nobody finds it until it can be read")
    if row["public"]:
        return
    for group in row["groups"]:
        say(f"  group:{group}")
    for person in row["people"]:
        until = f" until {person['until']}" if person["until"] else ""
        through = f" (through {', '.join(person['through'])})" if person["through"] else ""
        say(f"  {person['person']}{until}{through}")


@app.command(epilog="Example: vouch access what user:ana@acme.test")
def what(person: Person, as_json: Json = False) -> None:
    """List the documents PERSON may read now. For administrators."""
    with waiting("looking at documents"):
        from cli.wiring.administration import open_administration

        row = open_administration().access_report().what(person)
    if as_json:
        emit(row)
        return
    if row["warning"]:
        warn(row["warning"])
    for document in row["documents"]:
        say(f"{document['source']}:{document['path']}")
    say(f"{row['person']} may read {len(row['documents'])} of {count(row['of'], 'document')}")


@app.command(epilog="Example: vouch access explain user:ana@acme.test company:people/salary-bands.md")
def explain(
    person: Person,
    document: Document,
    as_json: Json = False,
) -> None:
    """Show whether PERSON may read DOCUMENT now, and by which rule and membership. For administrators."""
    with waiting("looking at documents"):
        from cli.wiring.administration import open_administration
        from services.documents.access_explanation import explain as explained

        row = explained(open_administration(), person, document)
    if as_json:
        emit(row)
        return
    say(f"{row['person']} {'may' if row['allowed'] else 'may not'} read {row['source']}:{row['path']}")
    for reason in row["refused_by"]:
        say(f"  refused: {reason}")
    say(f"  rule: {row['rule'] or 'none matches, so nobody may read it'}")
    say(f"  allowed: {', '.join(row['allow']) or 'nobody'}")
    if row["owners"]:
        own = f" ({row['person']} is one of them, which lets nobody read)" if row["owns"] else ""
        say(f"  owners: {', '.join(row['owners'])}{own}")
    if row["narrowed"] is not None:
        say(f"  narrowed by the document itself to: {', '.join(row['narrowed']) or 'nobody'}")
    until = f" until {row['until']}" if row["until"] and not row["warning"] else ""
    say(f"  {row['person']} holds: {', '.join(row['holds'])}{until}")
    if row["warning"]:
        say(f"  {row['warning']}")


@app.command(epilog="Example: vouch access codeowners docs/CODEOWNERS > owners.yaml")
def codeowners(
    file: Annotated[Path, typer.Argument(help="A CODEOWNERS file of GitHub.")],
) -> None:
    """Write the `owners:` of an access file for a CODEOWNERS file. Nothing is changed.

    @org/team becomes group:team, @name becomes user:name, an address becomes user:ADDRESS:
    check the result, as the directory may use other names.
    """
    from vouch.adapters.access.codeowners import read_codeowners

    try:
        ownership = read_codeowners(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}",
                       cure="name a CODEOWNERS file") from error
    say("owners:" if ownership.rules else "owners: []")
    for rule in ownership.rules:
        owners = ", ".join(json.dumps(tag, ensure_ascii=False) for tag in sorted(rule.owners))
        say(f"  - {{match: {json.dumps(rule.match, ensure_ascii=False)}, owners: [{owners}]}}")
    for note in ownership.notes:
        warn(f"left out: {note}")


def _tell_check(row: dict[str, Any]) -> None:
    say(f"{row['source']}: {count(row['documents'], 'document')}, {count(len(row['rules']), 'rule')}")
    if row["broken"]:
        say(f"  nobody may read them, as the rules cannot be read: {row['broken']}")
    for rule in row["rules"]:
        allow = ", ".join(rule["allow"]) or "nobody"
        say(f"  rule {rule['rule']} ({rule['match']}) for {allow} decides {_some(rule['documents'])}")
    for entry in row["owners"]:
        say(f"  owners of {entry['match']}: {', '.join(entry['owners']) or 'nobody'}")
    if row["undecided"] and not row["broken"]:
        say(f"  no rule matches, so nobody may read {_some(row['undecided'])}")
    for warning in row["warnings"]:
        warn(f"{row['source']}: {warning}")


def _some(paths: list[str]) -> str:
    names = ", ".join(paths[:_SHOWN]) + (", …" if len(paths) > _SHOWN else "")
    return f"{count(len(paths), 'document')}: {names}" if paths else "no document"
