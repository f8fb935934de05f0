"""Builds the whole index anew, with the embedding spread over Dask workers, and publishes once.

Parsing stays here, where the sources are; what takes the time, the encoder,
runs where the workers run. A vector does not depend on what else is embedded
beside it, so the result is that of one process, bit for bit.
"""

from collections import deque
from contextlib import closing
from contextvars import ContextVar
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner
from prefect_dask.task_runners import DaskTaskRunner

from flows.embed import missing_inputs
from flows.forgetting import resume_purges
from flows.plan import carried_out, guard_removals, plan_step
from flows.report import report_row
from flows.run import chosen, sole_run
from flows.session import Session, given
from flows.step import Step
from flows.wiring import build_encoder, build_machines
from vouch.errors import Conflict

AHEAD = 4                               # batches given to each worker before the first is waited for
Vectors = Any                           # float32 (n, dimensions); a task's annotation is checked as it runs
_at_work: ContextVar[tuple[Step, int]] = ContextVar("at work")


@flow(name="rebuild", persist_result=False)
def rebuild(scheduler: str | None = None, workers: int = 2, allow_removals: bool = False) -> dict[str, Any]:
    """Publishes one version made of all sources as they are now; what is embedded already is not embedded again.

    `scheduler` is the address of a Dask scheduler whose workers have vouch, the
    same model and the same settings of the encoder; without it `workers` local
    processes are started. Raises Held, Busy and Guarded as an ingest does, and
    Conflict if a worker's encoder is another one.
    """
    session = given.get() or Session(build_machines())
    machines = session.machines
    with sole_run(machines.home), closing(machines.parser):
        resume_purges(machines)
        machines.ledger.holds.check()
        plan = plan_step(machines, chosen(machines, []), anew=True)
        if not allow_removals:
            guard_removals(plan, machines.limits.max_removed_share)
        step = Step(machines, plan, session.progress)
        embed_on_dask(step, scheduler, workers)
        report = step.publish()
        carried_out(machines, plan)
    session.done(report)
    return report_row(report)


def embed_on_dask(step: Step, scheduler: str | None, workers: int) -> None:
    """Reads the batches of `step`; afterwards the cache holds a vector for each of their chunks."""
    token = _at_work.set((step, AHEAD * workers))
    try:
        flow(name="embed", task_runner=_runner(scheduler, workers), persist_result=False)(_spread_batches)()
    finally:
        _at_work.reset(token)


def _spread_batches() -> None:
    step, ahead = _at_work.get()
    fingerprint = step.machines.fingerprints["encoder"]
    coming: set[bytes] = set()
    under_way: deque[tuple[list[bytes], PrefectFuture[Vectors]]] = deque()
    for number, batch in enumerate(step.batches()):
        for keys, texts in missing_inputs(step.machines, step.read_batch(number, batch), coming):
            coming.update(keys)
            under_way.append((keys, embed.submit(texts, fingerprint)))
            if len(under_way) > ahead:
                _keep(step, *under_way.popleft())
    while under_way:
        _keep(step, *under_way.popleft())


def embed_texts(texts: list[str], fingerprint: str) -> Vectors:
    """The texts' vectors, in their order. Raises Conflict if this process has another encoder than who asks."""
    encoder = build_encoder()
    if encoder.fingerprint != fingerprint:
        cause = f"a worker embeds with {encoder.fingerprint}, and the index is made with {fingerprint}"
        raise Conflict(cause, cure="give all workers the same VOUCH_ENCODER__ settings and kind of processor")
    return encoder.passages(texts)


# With each task go the flow and the task themselves, to the workers. Under names of their own their functions are sent
# as names; decorated, they would be sent with all that this module holds.
embed = task(name="embed texts", retries=2, retry_delay_seconds=2, cache_policy=NO_CACHE, persist_result=False)(
    embed_texts
)


def _keep(step: Step, keys: list[bytes], future: "PrefectFuture[Vectors]") -> None:
    step.machines.vectors.put(keys, future.result())
    step.embedded += len(keys)


def _runner(scheduler: str | None, workers: int) -> "TaskRunner[Any]":
    if scheduler is not None:
        return DaskTaskRunner(address=scheduler)
    return DaskTaskRunner(cluster_kwargs={"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None})
