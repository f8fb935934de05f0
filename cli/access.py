"""vouch access: why somebody may or may not read a document."""

from typing import Annotated

import typer

from cli.output import Json, emit, say

app = typer.Typer(help="Explain permissions.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def group() -> None:
    """Explain permissions."""


@app.command(epilog="Example: vouch access explain user:ana@acme.test company:people/salary-bands.md")
def explain(
    person: Annotated[str, typer.Argument(help="A reader: user:NAME, group:NAME or public.")],
    document: Annotated[str, typer.Argument(help="SOURCE:PATH, or a PATH that only one source has.")],
    as_json: Json = False,
) -> None:
    """Say whether PERSON may read DOCUMENT now, by which rule and which membership. For administrators."""
    from cli.wiring.parts import open_parts

    row = open_parts().explain(person, document)
    if as_json:
        emit(row)
        return
    say(f"{row['person']} {'may' if row['allowed'] else 'may not'} read {row['source']}:{row['path']}")
    for reason in row["refused_by"]:
        say(f"  refused by {reason}")
    say(f"  rule: {row['rule'] or 'none matches, so nobody may read it'}")
    say(f"  allowed: {', '.join(row['allow']) or 'nobody'}")
    if row["narrowed"] is not None:
        say(f"  narrowed by the document itself to: {', '.join(row['narrowed']) or 'nobody'}")
    say(f"  {row['person']} holds: {', '.join(row['holds'])}" + (f" until {row['until']}" if row["until"] else ""))
