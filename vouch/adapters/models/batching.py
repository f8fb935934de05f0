"""Texts of concurrent callers, put together into passes of fixed form.

There is no thread of its own: of the callers that wait, one runs the next
pass for all. A pass is run when it is full, or when nobody is still on the
way to the model, or when a text has waited for a moment. Urgent texts, which
are those of active requests and so of questions that people wait for, go before
all others, such as an ingest's. The others get what room they leave, and one
pass in nine.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic

from vouch.adapters.models.passes import Form, Ids, PassQueue, QueuedText, R, Shapes
from vouch.errors import ModelDown

LINGER = 0.2                            # of the time that the last pass took: the longest wait for others' texts
STARVED = 20                            # times that: after which a text goes before fuller passes
IN_A_ROW = 8                            # passes that begin with an urgent text while others wait


class ActiveRequests:
    """Who is at work on something that will need the model: threads that joined and have not left.

    `ahead`: how many of them wait for a model that comes before others.
    """

    def __init__(self) -> None:
        self._here = threading.local()
        self._lock = threading.Lock()
        self.members = 0
        self.ahead = 0

    @contextmanager
    def join(self) -> Iterator[None]:
        """Counts this thread for the time of the block."""
        with self._lock:
            self.members += 1
        self._here.joined = True
        try:
            yield
        finally:
            self._here.joined = False
            with self._lock:
                self.members -= 1

    def wait_ahead(self, more: int) -> None:
        with self._lock:
            self.ahead += more

    @property
    def joined(self) -> bool:
        """Whether this thread is counted."""
        return getattr(self._here, "joined", False)


@dataclass(frozen=True, slots=True)
class _Batch(Generic[R]):
    form: Form
    tickets: list[QueuedText[R]]


class Batcher(Generic[R]):
    """Threads may share it; one pass runs at a time.

    `forward`: at most as many texts as the form has room for, each as its ids
    → one result per text. `ahead`: this model comes before the others of
    active requests. What has passed it soon needs those, so they do not run a
    pass that is not full while one of them waits here.
    """

    def __init__(
        self,
        forward: Callable[[Form, Sequence[Sequence[int]]], Sequence[R]],
        shapes: Shapes,
        active: ActiveRequests | None = None,
        *,
        ahead: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.passes = 0                 # so far
        self._forward = forward
        self.shapes = shapes
        self._active = active or ActiveRequests()
        self._ahead = ahead
        self._clock = clock
        self._turn = threading.Condition()
        self._tickets: dict[Ids, QueuedText[R]] = {}      # of texts that wait or are in the running pass
        self._queues: dict[Form, PassQueue[R]] = {form: PassQueue() for form in shapes.forms}
        self._waiting = 0               # members of the active requests that wait here
        self._in_a_row = 0              # such passes since one that began with another text
        self._running = False
        self._linger = 0.0

    @property
    def members(self) -> int:
        """How many active requests there are."""
        return self._active.members

    def encode(self, inputs: Sequence[Sequence[int]]) -> list[R]:
        """One result per input, bit-equal whatever else is asked at the same time. Raises what the model raised."""
        member = int(self._active.joined)
        self._wait_ahead(member)
        with self._turn:
            mine = [self._enter(tuple(ids), bool(member)) for ids in inputs]
            self._waiting += member
            self._turn.notify_all()     # perhaps now nobody else is on the way
        try:
            while (batch := self._next(mine)) is not None:
                self._run(batch)
        finally:
            self._wait_ahead(-member)
            with self._turn:
                self._waiting -= member
        return [_result(ticket) for ticket in mine]

    def _wait_ahead(self, more: int) -> None:
        if self._ahead and more:
            self._active.wait_ahead(more)

    def _enter(self, ids: Ids, urgent: bool) -> QueuedText[R]:
        form = self.shapes.place(len(ids))
        if ids not in self._tickets:
            ticket: QueuedText[R] = QueuedText(ids, self._clock(), urgent)
            self._tickets[ids] = ticket
            self._queues[form].add(ticket, form.size(len(ids)))
        elif urgent:
            self._queues[form].bring_forward(self._tickets[ids])
        return self._tickets[ids]

    def _next(self, mine: Sequence[QueuedText[R]]) -> _Batch[R] | None:
        """The pass that this thread is to run now, or None once all of `mine` are done."""
        with self._turn:
            while not all(ticket.done for ticket in mine):
                due = None if self._running else self._due()
                if due is not None:
                    self._running = True
                    return self._take(*due)
                self._turn.wait(None if self._running else max(self._linger, 0.001))
            return None

    def _due(self) -> tuple[Form, bool] | None:
        """The form of the pass to run now, and whether texts that are not urgent come first in it."""
        waiting = [form for form, queue in self._queues.items() if queue.tickets]
        urgent = [form for form in waiting if self._queues[form].urgents]
        others = [form for form in waiting if self._queues[form].others_since is not None]
        if urgent and others and self._in_a_row >= IN_A_ROW:
            return min(others, key=lambda form: self._queues[form].others_since or 0.0), True
        form = self._due_of(urgent if urgent and others else waiting)
        return None if form is None else (form, False)

    def _due_of(self, waiting: Sequence[Form]) -> Form | None:
        if not waiting:
            return None
        oldest = min(waiting, key=self._since)
        age = self._clock() - self._since(oldest)
        fullest = max(waiting, key=self._share)
        others_come = not self._ahead and self._active.ahead > 0
        if age > STARVED * self._linger * (1 + others_come):
            return oldest
        if self._share(fullest) >= 1 or self._waiting >= self._active.members:
            return fullest
        return oldest if age >= self._linger and not others_come else None

    def _since(self, form: Form) -> float:
        return self._queues[form].tickets[0].since

    def _share(self, form: Form) -> float:
        return self._queues[form].size / form.room

    def _take(self, form: Form, others_first: bool) -> _Batch[R]:
        begins_urgent = self._queues[form].urgents > 0 and not others_first
        others = any(queue.others_since is not None for queue in self._queues.values())
        self._in_a_row = self._in_a_row + 1 if begins_urgent and others else 0
        return _Batch(form, self._queues[form].take(form, others_first=others_first))

    def _run(self, batch: _Batch[R]) -> None:
        """Afterwards every ticket of the batch is done. Its failure belongs to those who asked, not to this thread."""
        results: Sequence[R | None] = [None] * len(batch.tickets)
        began = self._clock()
        failure: Exception | None = ModelDown("a pass of the model was interrupted", cure="ask again")
        try:
            results = self._forward(batch.form, [ticket.ids for ticket in batch.tickets])
            failure = None
        except Exception as error:
            failure = error
        finally:
            with self._turn:
                for ticket, result in zip(batch.tickets, results, strict=True):
                    ticket.result, ticket.error = result, failure
                    del self._tickets[ticket.ids]
                self.passes += 1
                self._linger = LINGER * (self._clock() - began)
                self._running = False
                self._turn.notify_all()


def _result(ticket: QueuedText[R]) -> R:
    if ticket.error is not None:
        raise ticket.error
    assert ticket.result is not None
    return ticket.result
