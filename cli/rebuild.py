"""vouch rebuild: make the index anew from its sources."""

from typing import Annotated

import typer

from cli.activity import progress
from cli.ingest import tell_report
from cli.output import Json, emit
from cli.waiting import waiting
from vouch.documents.document import RunReport


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch rebuild")(rebuild)


def rebuild(
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Go on even if many documents would be lost.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build the index again from all sources, for example when it is damaged.

    Sources, rules, votes and purges stay, and what is embedded already is not embedded again. Every source must
    answer, or its documents would be missing.
    """
    def done(report: RunReport) -> None:
        from flows.shared.run_report import report_row

        emit(report_row(report)) if as_json else tell_report(report, waiting.seconds())

    with progress("starting") as listener:
        from cli.wiring.ingest import ingest_components
        from flows.runs.run import chosen, rebuild_direct

        components = ingest_components()
        chosen(components, [])                # an empty home has nothing to be built again
        rebuild_direct(components, allow_removals=allow_removals, progress=listener, done=done)
