"""Starts ingests for those who may not know how: in this process, or by running a Prefect deployment."""

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import vouch.errors
from flows.ingesting.extent import Extent
from flows.runs.run import chosen, ingest_direct
from flows.shared.components import HELD, IngestComponents
from flows.shared.noted_runs import as_ours
from flows.shared.reporting import summary
from vouch.documents.document import RunReport
from vouch.errors import Held, Unavailable, VouchError

if TYPE_CHECKING:
    from prefect.client.schemas.objects import FlowRun

_log = logging.getLogger(__name__)
_RAISED = re.compile(r"exception: (?:[\w.]+\.)?(\w+): (.*)", re.DOTALL)


class DirectRunner:
    """Implements ports.IngestRunner. Components are built for each run: sources and rules may be others by then."""

    def __init__(self, build: Callable[[], IngestComponents]) -> None:
        self._build = build

    def ingest(self, source: str, paths: Sequence[str] | None, stopped: Callable[[], bool]) -> None:
        def look(stage: str, done: int, total: int) -> None:
            if stopped():
                raise Unavailable(f"the ingest of {source} was stopped", cure="what it finished is kept")

        def tell(report: RunReport) -> None:
            _log.info("%s: %s", source, summary(report, report.seconds))
            for warning in report.warnings:
                _log.warning("%s", warning)
            for skipped in report.skipped:
                _log.info("%s: skipped %s: %s", source, skipped.path, skipped.reason)
            for problem in report.problems:
                _log.warning("%s: %s is quarantined: %s", source, problem.path, problem.reason)

        components = self._build()
        with closing(components.ledger), closing(components.vectors):
            ingest_direct(components, chosen(components, [source]), Extent(paths=paths), progress=look, done=tell)


class PrefectRunner:
    """Implements ports.IngestRunner. Where Prefect's server is, Prefect's own settings say."""

    def __init__(self, deployment: str, *, poll_s: float = 1.0) -> None:
        self._deployment = deployment
        self._poll_s = poll_s

    def ingest(self, source: str, paths: Sequence[str] | None, stopped: Callable[[], bool]) -> None:
        with as_ours(cure="start the server that PREFECT_API_URL names"):
            asyncio.run(self._run({"names": [source], "paths": None if paths is None else list(paths)}, stopped))

    async def _run(self, parameters: dict[str, Any], stopped: Callable[[], bool]) -> None:
        from prefect import get_client
        from prefect.deployments.flow_runs import arun_deployment
        from prefect.exceptions import ObjectNotFound

        async with get_client() as client:
            try:
                run = await arun_deployment(
                    self._deployment, client=client, parameters=parameters, timeout=0, as_subflow=False
                )
            except ObjectNotFound as error:
                cause = f"Prefect has no deployment {self._deployment}"
                raise Unavailable(cause, cure="make it: prefect deploy --all") from error
            while run.state is None or not run.state.is_final():
                if stopped():
                    raise Unavailable(f"nobody waits any more for {run.name}", cure="the run itself goes on")
                await asyncio.sleep(self._poll_s)
                run = await client.read_flow_run(run.id)
        _check(run)


def _check(run: "FlowRun") -> None:
    """Raises what the run raised, as far as its state tells; Unavailable if somebody or something ended it."""
    assert run.state is not None
    message = run.state.message or ""
    if run.state.name == HELD:
        raise Held(message)
    if run.state.is_completed():
        return
    raised = _RAISED.search(message)
    if run.state.is_failed() and raised:
        kind = getattr(vouch.errors, raised[1], VouchError)
        raise kind(f"flow run {run.name}: {raised[2]}")
    if run.state.is_failed():
        raise VouchError(f"flow run {run.name} failed: {message}", cure="look at its log in Prefect")
    raise Unavailable(f"flow run {run.name} ended as {run.state.name}: {message}", cure="look at its log in Prefect")
