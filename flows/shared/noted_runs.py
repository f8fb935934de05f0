"""Notes each run of a flow from its beginning on, and how it failed."""

import contextlib
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Literal

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.operating.flow_runs import DONE, FAILED
from vouch.errors import NothingToLearn, Unavailable, Unreadable, VouchError

Kind = Literal["ingest", "rebuild", "purge", "tidy", "train", "gaps", "digest", "guard"]
EVERY_S = 60.0                          # how often a run that goes on says so
_LOGGER = logging.getLogger(__name__)


@contextmanager
def noted(ledger: Ledger, kind: Kind, of: Sequence[str] = (), *, every_s: float = EVERY_S) -> Iterator[None]:
    """What happens within is noted as a run of this kind, `of` these sources; of a failure its class and cause.

    Raises LedgerDown if it cannot be noted that it begins. How it ended, and that it goes on, is noted if that can be:
    the run is not undone for it.
    """
    run = ledger.flow_runs.begin(kind, ", ".join(of), _now())
    over = threading.Event()
    threading.Thread(target=_beats, args=(ledger, run, over, every_s), name=f"run {run}", daemon=True).start()
    ended = partial(_ended, ledger, run, over)
    try:
        yield
    except NothingToLearn as nothing:
        ended(DONE, type(nothing).__name__, nothing.cause)
        raise
    except BaseException as error:
        ended(FAILED, type(error).__name__, _cause(error))
        raise
    ended(DONE)


def _cause(error: BaseException) -> str | None:
    """None for what may hold words of a document: a reason why one cannot be read, and whatever is no error of ours."""
    return error.cause if isinstance(error, VouchError) and not isinstance(error, Unreadable) else None


def _ended(
    ledger: Ledger, run: int, over: threading.Event, outcome: str, error: str | None = None, cause: str | None = None
) -> None:
    over.set()
    try:
        ledger.flow_runs.end(run, outcome, _now(), error=error, cause=cause)
    except VouchError as down:
        _LOGGER.error("how a run ended could not be noted: %s", down)


def _beats(ledger: Ledger, run: int, over: threading.Event, every_s: float) -> None:
    while not over.wait(every_s):
        try:
            ledger.flow_runs.seen(run, _now())
        except VouchError as down:
            _LOGGER.warning("that a run goes on could not be noted: %s", down)


def _now() -> datetime:
    return datetime.now(UTC)


_PARTS = frozenset({"prefect", "httpx", "httpcore"})


@contextlib.contextmanager
def as_ours(cure: str) -> Iterator[None]:
    """Inside, Prefect not answering becomes Unavailable with `cure`; all other errors stay what they are."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] in _PARTS or "Failed to reach API" in str(error):
            raise Unavailable(f"Prefect does not answer: {type(error).__name__}: {error}", cure=cure) from error
        raise
