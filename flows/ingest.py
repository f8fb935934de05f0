"""The ingest flow: the steps of flows/run.py with Prefect's tasks, retries, limits and artifacts around them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any

from prefect import State, Task, flow, get_client, task
from prefect.artifacts import acreate_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.concurrency.asyncio import concurrency
from prefect.states import Completed

from flows.report import report_row
from flows.run import chosen, ingesting, plans
from flows.session import HELD, Session, given
from flows.step import Step
from flows.wiring import build_machines
from vouch.documents.document import RunReport
from vouch.errors import Held, Unavailable

LEASE_SECONDS = 60


async def _machine_was_away(task: Task[..., Any], run: TaskRun, state: State[Any]) -> bool:
    """Only an outage is worth another try; bad input and guards would fail again."""
    try:
        await state.aresult()
    except Unavailable:
        return True
    except BaseException:
        return False
    return False


@asynccontextmanager
async def one_run_per_source(home: Path, names: Sequence[str]) -> AsyncIterator[None]:
    """Waits until no other run of these sources is under way on the Prefect server in use.

    For runs on a server that outlives them: a killed run's slot is free when
    its lease ends. A run inside the command has the home's lock alone, since
    its own server would forget the lease and keep the slot for ever.
    """
    place = sha256(str(home).encode()).hexdigest()[:12]
    limits = [f"vouch-{place}-{sha256(name.encode()).hexdigest()[:12]}" for name in sorted(names)]
    async with get_client() as client:
        for limit in limits:
            await client.upsert_global_concurrency_limit_by_name(limit, 1)
    async with concurrency(
        limits, lease_duration=LEASE_SECONDS, strict=True, raise_on_lease_renewal_failure=False
    ):
        yield


async def run_step(step: Step) -> RunReport:
    """A task per batch, then one that publishes; each may be repeated without doing its work twice."""
    batches = step.batches()

    @task(name="prepare batch", retries=2, retry_delay_seconds=2, retry_condition_fn=_machine_was_away,
          cache_policy=NO_CACHE)
    async def prepare_batch(number: int) -> None:
        try:
            await asyncio.to_thread(step.prepare_batch, number, batches[number])
        except asyncio.CancelledError:
            step.stop()
            raise

    @task(name="publish", retries=2, retry_delay_seconds=2, retry_condition_fn=_machine_was_away,
          cache_policy=NO_CACHE)
    async def publish() -> RunReport:
        return await asyncio.to_thread(step.publish)

    for number in range(len(batches)):
        await prepare_batch(number)
    return await publish()


@flow(name="ingest", persist_result=False)
async def ingest(
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
    session = given.get() or Session(build_machines())
    machines = session.machines
    sources = chosen(machines, names or [])
    reports: list[RunReport] = []
    try:
        async with one_run_per_source(machines.home, sources) if given.get() is None else nullcontext():
            with ingesting(machines, sources), closing(machines.parser):
                for plan in plans(
                    machines, sources, until=until, step=step, paths=paths, allow_removals=allow_removals
                ):
                    work = Step(machines, plan, session.progress)
                    if plan.empty and (reports or plan.more):
                        continue
                    report = work.unpublished() if plan.empty else await run_step(work)
                    reports.append(report)
                    session.done(report)
    except Held as held:
        if given.get() is not None:
            raise
        done: list[dict[str, Any]] = [report_row(report) for report in reports]
        return Completed(name=HELD, message=str(held), data=[*done, {"held": held.cause, "cure": held.cure}])
    rows = [report_row(report) for report in reports]
    await acreate_table_artifact([_flat(row) for row in rows], key="ingest", description="What each step changed")
    return rows


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        flat.update({f"{key} {k}": v for k, v in value.items()} if isinstance(value, dict) else {key: value})
    return flat
