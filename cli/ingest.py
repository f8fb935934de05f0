"""vouch ingest: bring the index up to date with its sources."""

from typing import TYPE_CHECKING, Annotated

import typer

from cli.output import Json, count, emit, progress, say, warn
from vouch.documents.document import RunReport

if TYPE_CHECKING:
    from flows.machines import Machines


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch ingest handbook --dry-run")(ingest)


def ingest(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]…", help="Sources; none means all.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change; change nothing.")] = False,
    allow_removals: Annotated[
        bool, typer.Option("--allow-removals", help="Go on even if many documents would be removed.")
    ] = False,
    until: Annotated[int | None, typer.Option(min=1, help="Stop after the N-th event or commit.")] = None,
    step: Annotated[int | None, typer.Option(min=1, help="Publish after every N events or commits.")] = None,
    direct: Annotated[bool, typer.Option("--direct", help="Run the same functions without Prefect.")] = False,
    paths: Annotated[
        list[str] | None,
        typer.Option("--path", help="A document or folder of the one source named: in a folder, only it is looked at."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Ingest what changed since the current version and publish a new one."""
    from cli.wiring.ingest import ingest_machines
    from flows.inprocess import ingest_in_process, nothing_to_do
    from flows.report import report_row
    from flows.run import chosen, ingest_direct
    from flows.session import Session

    machines = ingest_machines()

    def done(report: RunReport) -> None:
        emit(report_row(report)) if as_json else _tell(report)

    if dry_run:
        _dry_run(machines, names or [], until, step, paths, as_json)
        return
    with progress(not as_json) as listener:
        session = Session(machines, listener, done)
        if nothing_to_do(session, names or [], until=until, step=step, paths=paths):
            return
        if direct:
            ingest_direct(machines, chosen(machines, names or []), until=until, step=step, paths=paths,
                          allow_removals=allow_removals, progress=listener, done=done)
        else:
            ingest_in_process(session, names or [], until=until, step=step, paths=paths, allow_removals=allow_removals)


def _tell(report: RunReport) -> None:
    say(
        f"version {report.version}: {report.added} added, {report.changed} changed, {report.renamed} renamed, "
        f"{report.removed} removed, {report.unchanged} unchanged; chunks +{report.chunks_added} "
        f"-{report.chunks_removed}, {report.chunks_kept} kept; {report.embedded} embedded; {report.seconds:.1f} s"
    )
    for note in report.notes:
        say(f"  {note}")
    for skipped in report.skipped:
        say(f"  skipped {skipped.path}: {skipped.reason}")
    for problem in report.problems:
        warn(f"{problem.path} is quarantined: {problem.reason}")


def _dry_run(
    machines: "Machines",
    names: list[str],
    until: int | None,
    step: int | None,
    paths: list[str] | None,
    as_json: bool,
) -> None:
    from flows.plan import guard_removals, plan_step
    from flows.report import report_row
    from flows.run import chosen
    from flows.step import Step
    from vouch.errors import Guarded

    plan = plan_step(machines, chosen(machines, names), until=until, step=step, paths=paths, publishes=False)
    rows = [{"source": s, "operation": c.operation, "path": c.path, "old_path": c.old_path} for s, c in plan.changes]
    rows += [{"source": s, "operation": "remove", "path": p, "old_path": None} for s, p in plan.orphans]
    guarded = ""
    hold = machines.ledger.holds.current()
    held = f"ingestion is {hold}" if hold else ""
    try:
        guard_removals(plan, machines.limits.max_removed_share)
    except Guarded as error:
        guarded = error.cause
    if as_json:
        report = report_row(Step(machines, plan).unpublished())
        emit({**report, "changes": rows, "rebuild": plan.rebuild, "guarded": guarded or None, "held": held or None})
        return
    for row in rows:
        came = f" (was {row['old_path']})" if row["old_path"] else ""
        say(f"{row['operation']:7} {row['source']}:{row['path']}{came}")
    stops = "; ".join(reason for reason in (held, guarded) if reason)
    say(f"{count(len(rows), 'change')}; nothing was published" + (f"; the run would stop: {stops}" if stops else ""))
