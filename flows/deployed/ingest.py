"""The ingest flow: the run of flows/runs/run.py, with Prefect's tasks, retries, limits and artifact around it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from prefect import State, flow, get_client
from prefect.artifacts import create_table_artifact
from prefect.concurrency.sync import concurrency
from prefect.states import Completed

from flows.deployed.tasks import as_task
from flows.ingesting.extent import Extent
from flows.runs.run import chosen, ingest_direct
from flows.shared.components import HELD, Session, given
from flows.shared.reporting import counts_only, report_row
from flows.wiring.ingesting import build_components
from vouch.documents.document import RunReport
from vouch.errors import Held

LEASE_SECONDS = 60
_WHAT = "What each step changed. Which documents were skipped or quarantined, and why: vouch documents"


@contextmanager
def one_run_per_source(home: Path, names: Sequence[str]) -> Iterator[None]:
    """Waits until no other run of these sources is under way on the Prefect server in use.

    A killed run's slot is free when its lease ends.
    """
    home_digest = sha256(str(home).encode()).hexdigest()[:12]
    limits = [f"vouch-{home_digest}-{sha256(name.encode()).hexdigest()[:12]}" for name in sorted(names)]
    with get_client(sync_client=True) as client:
        for limit in limits:
            client.upsert_global_concurrency_limit_by_name(limit, 1)
    with concurrency(limits, lease_duration=LEASE_SECONDS, strict=True, raise_on_lease_renewal_failure=False):
        yield


@flow(name="ingest", persist_result=False)
def ingest(
    names: list[str] | None = None,
    allow_removals: bool = False,
    until: int | None = None,
    step: int | None = None,
    paths: list[str] | None = None,
) -> list[dict[str, Any]] | State[list[dict[str, Any]]]:
    """Brings the index up to date with its sources; one report per published step.

    `paths`: of the one source named, what is said to have changed.

    A run that finds nothing changed publishes nothing and reports that. A
    scheduled run that a rollback holds is completed, in a state that says so.
    """
    session = given.get() or Session(build_components())
    sources = chosen(session.components, names or [])
    rows: list[dict[str, Any]] = []

    def done(report: RunReport) -> None:
        rows.append(report_row(report))
        session.done(report)

    try:
        with one_run_per_source(session.components.home, sources):
            ingest_direct(session.components, sources, Extent(until, step, paths, allow_removals),
                          progress=session.progress, done=done, perform=as_task)
    except Held as held:
        if given.get() is not None:
            raise
        return Completed(name=HELD, message=str(held), data=[*rows, {"held": held.cause, "cure": held.cure}])
    create_table_artifact([counts_only(row) for row in rows], key="ingest", description=_WHAT)
    return rows
