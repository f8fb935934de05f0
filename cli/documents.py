"""vouch documents: what the current version holds, and what is wrong with the rest."""

from typing import Annotated

import typer

from cli.output import Json, emit, table


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch documents --json | grep quarantined")(documents)


def documents(
    source: Annotated[str | None, typer.Option(help="Only this source.")] = None, as_json: Json = False
) -> None:
    """List documents with their access tags, state and, if quarantined, the reason. For administrators."""
    from cli.wiring.parts import open_parts

    rows = open_parts().document_rows(source)
    if as_json:
        for row in rows:
            emit(row)
        return
    table(["source", "path", "tags", "state", "reason"],
          [(r["source"], r["path"], ", ".join(r["tags"]) or "nobody", r["state"], r["reason"]) for r in rows],
          empty="no documents are indexed; vouch ingest brings them in")
