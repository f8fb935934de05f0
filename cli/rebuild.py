"""vouch rebuild: make the index anew from its sources."""

from typing import Annotated

import typer

from cli.felt import waiting
from cli.ingest import tell_report
from cli.output import Json, emit, progress


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch rebuild")(rebuild)


def rebuild(
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Go on even if many documents would be lost.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Publish a version made anew of all sources as they are now: for a damaged index.

    Sources, rules, votes and purges stay, and what is embedded already is not embedded again. Every source must
    answer, as its documents would be missing.
    """
    from cli.wiring.ingest import ingest_machines
    from flows.report import report_row
    from flows.run import rebuild_direct
    from vouch.documents.document import RunReport

    def done(report: RunReport) -> None:
        emit(report_row(report)) if as_json else tell_report(report, waiting.seconds())

    with progress(not as_json) as listener:
        rebuild_direct(ingest_machines(), allow_removals=allow_removals, progress=listener, done=done)
