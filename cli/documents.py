"""vouch documents: what the current version holds, and what is wrong with the rest."""

from typing import Annotated

import typer

from cli.output import Json, emit, table


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch documents --json | grep quarantined")(documents)


def documents(
    source: Annotated[str | None, typer.Option(help="Only this source.")] = None, as_json: Json = False
) -> None:
    """List documents with who may read them in effect, state and, if quarantined, the reason. For administrators."""
    from cli.access_report import told_readers
    from cli.wiring.parts import open_parts

    rows = open_parts().document_rows(source)
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["source", "path", "readers", "state", "reason"],
          [(r["source"], r["path"], told_readers(r), r["state"], r["reason"]) for r in rows])
