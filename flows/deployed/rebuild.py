"""Builds the whole index anew, with the embedding spread over Dask workers, and publishes once.

Parsing stays here, where the sources are; what takes the time, the encoder,
runs where the workers run. A vector does not depend on what else is embedded
beside it, so the result is that of one process, bit for bit.
"""

from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner
from prefect_dask.task_runners import DaskTaskRunner

from flows.ingesting.prepare import missing_inputs
from flows.ingesting.step import Step
from flows.runs.run import rebuilding
from flows.shared.components import Session, given
from flows.shared.reporting import report_row
from flows.wiring.ingesting import build_components, build_encoder
from vouch.errors import Conflict, Usage

AHEAD = 4                               # batches given to each worker before the first is waited for
Vectors = Any                           # float32 (n, dimensions); a task's annotation is checked as it runs
_at_work: ContextVar[tuple[Step, int]] = ContextVar("at work")


@flow(name="rebuild", persist_result=False)
def rebuild(scheduler: str | None = None, workers: int = 2, allow_removals: bool = False) -> dict[str, Any]:
    """Publishes one version made of all sources as they are now; what is embedded already is not embedded again.

    `scheduler` is the address, tls://, of a Dask scheduler whose workers have
    vouch, the same model and the same settings of the encoder; without it
    `workers` local processes are started. Raises Held, Busy and Guarded as an
    ingest does, Usage for a scheduler without TLS, and Conflict if a worker's
    encoder is another one.
    """
    runner = _runner(scheduler, workers)
    session = given.get() or Session(build_components())
    components = session.components
    with rebuilding(components, session.progress, allow_removals=allow_removals) as step:
        embed_on_dask(step, runner, workers)
        report = step.publish()
    session.done(report)
    return report_row(report)


def embed_on_dask(step: Step, runner: "TaskRunner[Any]", workers: int) -> None:
    """Reads the batches of `step`; afterwards the cache holds a vector for each of their chunks."""
    token = _at_work.set((step, AHEAD * workers))
    try:
        flow(name="embed", task_runner=runner, persist_result=False)(_spread_batches)()
    finally:
        _at_work.reset(token)


def _spread_batches() -> None:
    step, ahead = _at_work.get()
    fingerprint = step.components.fingerprints["encoder"]
    coming: set[bytes] = set()
    under_way: deque[tuple[list[bytes], PrefectFuture[Vectors]]] = deque()
    for number, batch in enumerate(step.batches()):
        for keys, texts in missing_inputs(step.components, step.read_batch(number, batch), coming):
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
    step.components.vectors.put(keys, future.result())
    step.embedded += len(keys)


def _runner(scheduler: str | None, workers: int) -> "TaskRunner[Any]":
    """Whoever may speak to a Dask process runs code in it, so that each must ask for a certificate."""
    if scheduler is None:
        return DaskTaskRunner(cluster_class=_local_cluster, cluster_kwargs={"n_workers": workers})
    if not scheduler.startswith("tls://"):
        cause = f"the scheduler {scheduler} is named without TLS: whoever reaches it could run code, and read the texts"
        cure = "start it and its workers with --tls-ca-file, --tls-cert and --tls-key, and name it tls://HOST:PORT"
        raise Usage(cause, cure=cure)
    return DaskTaskRunner(address=scheduler)


def _local_cluster(**options: Any) -> Any:
    """Processes of this machine that serve this run alone, though every user of the machine can reach their ports.

    Their certificates are made for the run and stand in no file; they have no pages to look at.
    """
    import dask.config
    from distributed import LocalCluster

    with dask.config.set({"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}):
        made: Callable[..., Any] = LocalCluster
        return made(threads_per_worker=1, dashboard_address=None, security=True, **options)
