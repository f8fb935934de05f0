"""An ingest run: locks, then step after step. Commands, workers and the Prefect flow all run this one."""

import contextlib
import fcntl
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from flows.ingesting.extent import WHOLE, Extent
from flows.ingesting.guards import excessive
from flows.ingesting.plan import carried_out, plan_step, to_be_rebuilt
from flows.ingesting.step import Step
from flows.purging.forgetting import resume_purges
from flows.shared.components import IngestComponents
from flows.shared.noted_runs import noted
from flows.shared.reporting import Progress, failure_of, silent
from vouch.documents.document import RunReport
from vouch.errors import Busy, NotFound, VouchError

T = TypeVar("T")
_ON_HOME = "another ingest, a purge, tidying or a report is under way on this home"


@contextlib.contextmanager
def sole_run(home: Path, names: Sequence[str] | None = None) -> Iterator[None]:
    """Holds the ingest locks of the sources `names`; without names the home's, beside which nobody holds any.

    Raises Busy at once if another run is in the way; a killed run frees its locks.
    """
    with contextlib.ExitStack() as held:
        _lock(held, home / "ingest.lock", fcntl.LOCK_EX if names is None else fcntl.LOCK_SH, _ON_HOME)
        for name in sorted(set(names or ())):
            _lock(held, home / f"ingest-{name}.lock", fcntl.LOCK_EX, f"another ingest of source {name} is running")
        yield


@contextlib.contextmanager
def ingesting(components: IngestComponents, names: Sequence[str]) -> Iterator[None]:
    """Holds what an ingest of `names` needs: their locks, so that other sources may be ingested beside it.

    While a purge is unfinished, or when everything must be built anew, that is the home's lock. Raises Busy.
    """
    with contextlib.ExitStack() as held:
        held.enter_context(sole_run(components.home, names))
        if components.ledger.purges.unfinished() or to_be_rebuilt(components):
            held.close()
            held.enter_context(sole_run(components.home))
        yield


def _lock(held: contextlib.ExitStack, path: Path, kind: int, busy: str) -> None:
    lock = held.enter_context(path.open("a"))
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Busy(busy, cure="wait until it ends, then run again") from error


def chosen(components: IngestComponents, names: Sequence[str]) -> list[str]:
    """The sources meant by `names`; none named means all. Raises NotFound, also if there is nothing to do at all."""
    for name in names:
        if name not in components.sources:
            raise NotFound(f"no source named {name}", cure="see: vouch source list")
    if not components.sources and not _documents(components):
        raise NotFound("there are no sources", cure="add one: vouch source add NAME --kind folder --path PATH")
    return list(names or components.sources)


def _documents(components: IngestComponents) -> bool:
    """Whether the current version holds documents: those of sources removed since must still leave."""
    version = components.store.open_current(documents_only=True)
    return version is not None and version.manifest.counts.documents > 0


def steps(
    components: IngestComponents, names: Sequence[str], extent: Extent = WHOLE, progress: Progress = silent
) -> Iterator[Step]:
    """One step after another, each planned when the one before has been carried out; unfinished purges come first.

    Whoever asks for the next one has published the one before, if it was not empty.

    Raises Held while a rollback is in force; whoever planned before it finds out when publishing. A source that
    fails, or would lose too much, stays as it is, and in the end its error is raised: the others were published.
    """
    resume_purges(components)
    components.store.catch_up()
    failures: dict[str, VouchError] = {}
    for group in [[name] for name in names] if extent.step and names else [list(names)]:
        while True:
            components.ledger.holds.check()
            left = [name for name in group if name not in failures]
            plan = plan_step(components, left, extent, progress=progress)
            plan = plan.without(excessive(plan, components.limits.max_removed_share))
            work = Step(components, plan, progress)
            if not (plan.failures and plan.empty):
                yield work
            carried_out(components, work.plan)
            failures |= work.plan.failures                  # the step may have found more of them
            if not plan.more or failures.keys() >= set(group):
                break
    if failures:
        raise failure_of(failures)


class Perform(Protocol):
    """Does one named piece of a step's work, and returns what it gives. Each piece may be repeated."""

    def __call__(self, name: str, work: Callable[[], T]) -> T: ...


def at_once(name: str, work: Callable[[], T]) -> T:
    """The piece of work is called, once."""
    return work()


def carry_out(step: Step, perform: Perform = at_once) -> RunReport:
    """Prepares and publishes one step, batch after batch."""
    for number, batch in enumerate(step.batches()):
        perform("prepare batch", partial(step.prepare_batch, number, batch))
    return perform("publish", step.publish)


def ingest_direct(
    components: IngestComponents,
    names: Sequence[str],
    extent: Extent = WHOLE,
    *,
    progress: Progress = silent,
    done: Callable[[RunReport], None],
    perform: Perform = at_once,
) -> None:
    """Ingests in this process; `done` gets each step's report as soon as it is published.

    Where nothing changed, nothing is published, and one report says that.
    """
    reported: set[tuple[str, ...]] = set()
    with (ingesting(components, names), noted(components.ledger, "ingest", names),
          contextlib.closing(components.parser)):
        for work in steps(components, names, extent, progress):
            plan, sources = work.plan, tuple(work.plan.scans)
            if plan.empty and (plan.more or sources in reported):
                continue
            done(work.unpublished() if plan.empty else carry_out(work, perform))
            reported.add(sources)


@contextlib.contextmanager
def rebuilding(
    components: IngestComponents, progress: Progress = silent, *, allow_removals: bool = False
) -> Iterator[Step]:
    """The step that makes everything anew from the sources as they are now, alone on the home, yet to be carried out.

    It needs no sound version. Raises Held, Busy, Guarded, and what a source
    fails with, as its documents would be missing.
    """
    with sole_run(components.home), noted(components.ledger, "rebuild"), contextlib.closing(components.parser):
        resume_purges(components)
        components.ledger.holds.check()
        sources = list(components.sources)
        plan = plan_step(components, sources, Extent(allow_removals=allow_removals), anew=True, progress=progress)
        plan = plan.without(excessive(plan, components.limits.max_removed_share))
        work = Step(components, plan, progress)
        yield work
        carried_out(components, work.plan)


def rebuild_direct(
    components: IngestComponents, *, allow_removals: bool = False, progress: Progress = silent,
    done: Callable[[RunReport], None],
) -> None:
    """Builds the index anew in this process; `done` gets the report once it is published."""
    with rebuilding(components, progress, allow_removals=allow_removals) as step:
        done(carry_out(step))


@contextlib.contextmanager
def previewing(
    components: IngestComponents, names: Sequence[str], extent: Extent = WHOLE, progress: Progress = silent
) -> Iterator[Step]:
    """The first step of such a run, its documents read and none embedded, and what would be guarded left in.

    Nothing is published by it; a failing source is among its plan's failures.
    """
    with contextlib.closing(components.parser):
        plan = plan_step(components, names, extent, publishes=False, progress=progress)
        work = Step(components, plan, progress)
        for number, batch in enumerate(work.batches()):
            work.read_batch(number, batch)
        yield work
