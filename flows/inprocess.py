"""Runs the ingest flow inside this process, on a Prefect server of its own unless one is configured."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from flows.own_server import own_server
from flows.plan import carried_out, plan_step
from flows.prefect_errors import as_ours
from flows.run import chosen, ingesting
from flows.session import Session, given
from flows.step import Step


def nothing_to_do(
    session: Session,
    names: Sequence[str],
    *,
    until: int | None,
    step: int | None,
    paths: Sequence[str] | None = None,
) -> bool:
    """True, and reported, if no source changed: the flow and its libraries then need not be loaded.

    The lexical engine has all of the current version then. Raises Held while a rollback is in force.
    """
    machines = session.machines
    if machines.ledger.purges.unfinished():
        return False
    sources = chosen(machines, names)
    with ingesting(machines, sources):
        machines.ledger.holds.check()
        plan = plan_step(machines, sources, until=until, step=step, paths=paths)
        if not plan.empty or plan.more:
            return False
        machines.store.complete()
        carried_out(machines, plan)
    session.done(Step(machines, plan).unpublished())
    return True


def ingest_in_process(
    session: Session,
    names: Sequence[str],
    *,
    until: int | None,
    step: int | None,
    allow_removals: bool,
    paths: Sequence[str] | None = None,
) -> None:
    """The whole flow, awaited. Its errors are the caller's; its reports go to `session.done`."""
    place = Path(os.environ.setdefault("PREFECT_HOME", str(session.machines.home / "prefect")))
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    os.environ.setdefault("PREFECT_LOGGING_INTERNAL_LEVEL", "CRITICAL")      # events left at the end
    given.set(session)
    named = None if paths is None else list(paths)
    with _server(place), as_ours(cure="start the server PREFECT_API_URL names, unset that variable, or use --direct"):
        from flows.ingest import ingest

        asyncio.run(ingest(list(names) or None, allow_removals, until, step, named))


@contextmanager
def _server(place: Path) -> Iterator[None]:
    """Inside, Prefect has a server: the one its settings name, else one of our own."""
    from prefect.settings import PREFECT_API_URL, PREFECT_SERVER_ALLOW_EPHEMERAL_MODE, temporary_settings

    if PREFECT_API_URL.value():
        yield
        return
    with temporary_settings({PREFECT_API_URL: own_server(place), PREFECT_SERVER_ALLOW_EPHEMERAL_MODE: False}):
        yield
