"""Runs the ingest flow inside this process, on a Prefect server of its own unless one is configured."""

import asyncio
import os
from collections.abc import Sequence

from flows.plan import plan_step
from flows.run import chosen, sole_run
from flows.session import Session, given
from flows.step import Step
from vouch.errors import Unavailable

_PREFECT_PARTS = frozenset({"prefect", "httpx", "httpcore"})


def nothing_to_do(session: Session, names: Sequence[str], *, until: int | None, step: int | None) -> bool:
    """True, and reported, if no source changed: the flow and its libraries then need not be loaded."""
    machines = session.machines
    with sole_run(machines.home):
        plan = plan_step(machines, chosen(machines, names), until=until, step=step)
    if not plan.empty or plan.more:
        return False
    session.done(Step(machines, plan).unpublished())
    return True


def ingest_in_process(
    session: Session, names: Sequence[str], *, until: int | None, step: int | None, allow_removals: bool
) -> None:
    """The whole flow, awaited. Its errors are the caller's; its reports go to `session.done`."""
    home = session.machines.home
    os.environ.setdefault("PREFECT_HOME", str(home / "prefect"))
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
    from flows.ingest import ingest

    given.set(session)
    try:
        asyncio.run(ingest(list(names) or None, allow_removals, until, step))
    except Exception as error:
        if type(error).__module__.partition(".")[0] in _PREFECT_PARTS:
            cure = "start the server PREFECT_API_URL names, unset that variable, or use --direct"
            raise Unavailable(f"Prefect does not answer: {type(error).__name__}: {error}", cure=cure) from error
        if "ephemeral Prefect" in str(error):
            raise Unavailable("Prefect's own server did not start", cure="run again, or use --direct") from error
        raise
