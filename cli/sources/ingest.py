"""vouch ingest and vouch rebuild: bring the index up to date with its sources, or make it anew."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import completion
from cli.terminal.activity import progress
from cli.terminal.elapsed import waiting
from cli.terminal.output import Json, emit, say, warn
from vouch.documents.document import RunReport
from vouch.plurals import count

if TYPE_CHECKING:
    from flows.ingesting.step import Step
    from flows.shared.components import IngestComponents


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch ingest handbook --dry-run")(ingest)
    app.command(epilog="Example: vouch rebuild")(rebuild)


def ingest(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]…", help="Names of sources. Default: all.", autocompletion=completion.sources),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change; change nothing.")] = False,
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Go on even if many documents would be removed.")
    ] = False,
    until: Annotated[int | None, typer.Option(min=1, help="Stop after the N-th event or commit.")] = None,
    step: Annotated[int | None, typer.Option(min=1, help="Publish after every N events or commits.")] = None,
    prefect: Annotated[
        bool, typer.Option("--prefect", help="Run as a flow of the Prefect server that PREFECT_API_URL names.")
    ] = False,
    paths: Annotated[
        list[str] | None,
        typer.Option("--path", help="Ingest only this document or folder of the named source."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Ingest what changed since the current version and publish a new one."""
    def done(report: RunReport) -> None:
        from flows.shared.reporting import report_row

        emit(report_row(report)) if as_json else tell_report(report, waiting.seconds())

    with progress("starting", lines=not as_json) as listener:
        from cli.wiring.ingest import ingest_components, need_prefect
        from flows.deployed.flow_run import ingest_as_flow
        from flows.ingesting.extent import Extent
        from flows.runs.named_paths import checked_paths
        from flows.runs.run import chosen, ingest_direct, previewing
        from flows.shared.components import Session

        if prefect:
            need_prefect("--prefect", "set PREFECT_API_URL, or leave out --prefect")
        components = ingest_components()
        extent = Extent(until, step, checked_paths(components, names or [], paths), allow_removals)
        if dry_run:
            with previewing(components, chosen(components, names or []), extent, listener) as work:
                _tell_dry_run(components, work, as_json)
        elif prefect:
            ingest_as_flow(Session(components, listener, done), names or [], extent)
        else:
            ingest_direct(components, chosen(components, names or []), extent, progress=listener, done=done)


def tell_report(report: RunReport, seconds: float) -> None:
    """Prints what one step did, for people."""
    from flows.shared.reporting import skipped_lines, summary

    say(summary(report, seconds))
    for note in (*report.notes, *skipped_lines(report)):
        say(f"  {note}")
    for warning in report.warnings:
        warn(warning)
    for problem in report.problems:
        warn(f"{problem.source}:{problem.path} is quarantined: {problem.reason}")


def _tell_dry_run(components: "IngestComponents", work: "Step", as_json: bool) -> None:
    """What would become of all that the run would read. Raises what a source fails with."""
    from flows.ingesting.guards import excessive
    from flows.ingesting.report import differences
    from flows.shared.reporting import failure_of, report_row

    guarded = excessive(work.plan, components.limits.max_removed_share, work.records)
    rows, report, failures = differences(work.plan, work.records), work.unpublished(), work.plan.failures
    hold = components.ledger.holds.current()
    hold_text = f"ingests are {hold}" if hold else ""
    stays = "; ".join(f"source {name} would stay as it is: {error.cause}" for name, error in guarded.items())
    if as_json:
        changes = [{"source": d.source, "operation": d.what, "path": d.path, "old_path": d.old_path,
                    "reason": d.reason} for d in rows]
        emit({**report_row(report), "changes": changes, "rebuild": work.plan.rebuild, "guarded": stays or None,
              "held": hold_text or None})
    else:
        for difference in rows:
            came = f" (was {difference.old_path})" if difference.old_path else ""
            why = f": {difference.reason}" if difference.reason else ""
            say(f"{difference.what:10} {difference.source}:{difference.path}{came}{why}")
        _tell_preview(report, len(rows), [reason for reason in (hold_text, stays) if reason])
    if failures:
        raise failure_of(failures)


def _tell_preview(report: RunReport, changes: int, stops: list[str]) -> None:
    from flows.shared.reporting import skipped_lines

    for note in (*report.notes, *skipped_lines(report)):
        say(f"  {note}")
    for warning in report.warnings:
        warn(warning)
    unread = f", {report.quarantined} of them unreadable" if report.quarantined else ""
    say(f"{count(changes, 'change')}{unread}; nothing was published"
        + (f"; the run would stop: {'; '.join(stops)}" if stops else ""))


def rebuild(
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Go on even if many documents would be lost.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build the index again from all sources, for example when it is damaged.

    Sources, rules, votes and purges stay, and texts that were embedded before are not embedded again. Every source must
    be readable, or its documents would be missing.
    """
    def done(report: RunReport) -> None:
        from flows.shared.reporting import report_row

        emit(report_row(report)) if as_json else tell_report(report, waiting.seconds())

    with progress("starting", lines=not as_json) as listener:
        from cli.wiring.ingest import ingest_components
        from flows.runs.run import chosen, rebuild_direct

        components = ingest_components()
        chosen(components, [])                # an empty home has nothing to be built again
        rebuild_direct(components, allow_removals=allow_removals, progress=listener, done=done)
