"""Runs the ingest flow in this process, as one flow run on the Prefect server that Prefect's settings name."""

from collections.abc import Sequence

from flows.ingesting.extent import Extent
from flows.shared.components import Session, given
from flows.shared.noted_runs import as_ours


def ingest_as_flow(session: Session, names: Sequence[str], extent: Extent) -> None:
    """The whole flow. Its errors are the caller's; its reports go to `session.done`."""
    named = None if extent.paths is None else list(extent.paths)
    token = given.set(session)
    try:
        with as_ours(cure="start the server that PREFECT_API_URL names, or leave out --prefect"):
            from flows.deployed.ingest import ingest

            ingest(list(names) or None, extent.allow_removals, extent.until, extent.step, named)
    finally:
        given.reset(token)
