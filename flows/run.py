"""An ingest run in this process: lock, rules, then step after step. The Prefect flow drives the same steps."""

import contextlib
import fcntl
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from flows.forgetting import resume_purges
from flows.machines import Machines
from flows.plan import Plan, carried_out, guard_removals, plan_step, to_be_rebuilt
from flows.progress import Progress, silent
from flows.step import Step
from vouch.documents.document import RunReport
from vouch.errors import Busy, NotFound


@contextlib.contextmanager
def sole_run(home: Path, names: Sequence[str] | None = None) -> Iterator[None]:
    """Holds the ingest locks of the sources `names`; without names the home's, beside which nobody holds any.

    Raises Busy at once if another run is in the way; a killed run frees its locks.
    """
    with contextlib.ExitStack() as held:
        _lock(held, home / "ingest.lock", fcntl.LOCK_EX if names is None else fcntl.LOCK_SH, "on this home")
        for name in sorted(set(names or ())):
            _lock(held, home / f"ingest-{name}.lock", fcntl.LOCK_EX, f"of source {name}")
        yield


@contextlib.contextmanager
def ingesting(machines: Machines, names: Sequence[str]) -> Iterator[None]:
    """Holds what an ingest of `names` needs: their locks, so that other sources may be ingested beside it.

    While a purge is unfinished, or when everything must be built anew, that is the home's lock. Raises Busy.
    """
    with contextlib.ExitStack() as held:
        held.enter_context(sole_run(machines.home, names))
        if machines.ledger.purges.unfinished() or to_be_rebuilt(machines):
            held.close()
            held.enter_context(sole_run(machines.home))
        yield


def _lock(held: contextlib.ExitStack, path: Path, kind: int, what: str) -> None:
    lock = held.enter_context(path.open("a"))
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Busy(f"another ingest is running {what}", cure="wait until it ends, then run again") from error


def chosen(machines: Machines, names: Sequence[str]) -> list[str]:
    """The sources meant by `names`; none named means all. Raises NotFound, also if there is nothing to do at all."""
    for name in names:
        if name not in machines.sources:
            raise NotFound(f"no source named {name}", cure="see: vouch source list")
    if not machines.sources and not _documents(machines):
        raise NotFound("there are no sources", cure="add one: vouch source add NAME --kind folder --path PATH")
    return list(names or machines.sources)


def _documents(machines: Machines) -> bool:
    """Whether the current version holds documents: those of sources removed since must still leave."""
    version = machines.store.open_current(documents_only=True)
    return version is not None and version.manifest.counts.documents > 0


def plans(
    machines: Machines,
    names: Sequence[str],
    *,
    until: int | None = None,
    step: int | None = None,
    paths: Sequence[str] | None = None,
    allow_removals: bool = False,
) -> Iterator[Plan]:
    """One plan after another, each made when the one before has been carried out; unfinished purges come first.

    Whoever asks for the next one has published the one before, if it was not empty.

    Raises Held while a rollback is in force; whoever planned before it finds out when publishing.
    """
    resume_purges(machines)
    machines.store.complete()
    groups = [[name] for name in names] if step and names else [list(names)]
    for group in groups:
        while True:
            machines.ledger.holds.check()
            plan = plan_step(machines, group, until=until, step=step, paths=paths)
            if not allow_removals:
                guard_removals(plan, machines.limits.max_removed_share)
            yield plan
            carried_out(machines, plan)
            if not plan.more:
                break


def carry_out(step: Step) -> RunReport:
    """Prepares and publishes one step, batch after batch."""
    for number, batch in enumerate(step.batches()):
        step.prepare_batch(number, batch)
    return step.publish()


def ingest_direct(
    machines: Machines,
    names: Sequence[str],
    *,
    until: int | None = None,
    step: int | None = None,
    paths: Sequence[str] | None = None,
    allow_removals: bool = False,
    progress: Progress = silent,
    done: Callable[[RunReport], None],
) -> None:
    """Ingests without Prefect; `done` gets each step's report as soon as it is published."""
    with ingesting(machines, names), contextlib.closing(machines.parser):
        before = None
        for plan in plans(machines, names, until=until, step=step, paths=paths, allow_removals=allow_removals):
            work = Step(machines, plan, progress)
            if not plan.empty:
                before = carry_out(work)
                done(before)
            elif before is None:
                done(work.unpublished())
