"""One trace for all that is done about a question, in every process, from its asking to its reply.

Trace and root span are made from the question's id, so nothing needs to carry
them: whoever knows the question knows where its own spans belong. The forms
are those of W3C Trace Context. Spans say names, times and outcomes, never
words of a question or a document.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime

Note = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Span:
    """Something that was done. Times in nanoseconds of the epoch; `parent` is empty for a root."""

    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    notes: Mapping[str, Note]
    error: str = ""                     # the kind of what it ended with


Recorder = Callable[[Span], None]
"""Takes finished spans. It neither waits nor raises."""


@dataclass(frozen=True, slots=True)
class _Place:
    trace: str = ""
    span: str = ""
    record: Recorder | None = None


_current: ContextVar[_Place] = ContextVar("trace", default=_Place())  # noqa: B039  (it is frozen)


_request: ContextVar[str] = ContextVar("request", default="")


def current_request() -> str:
    """The id of the HTTP request that is answered here; empty outside of any."""
    return _request.get()


@contextmanager
def in_request(number: str) -> Iterator[None]:
    """Inside, what is logged belongs to the request."""
    token = _request.set(number)
    try:
        yield
    finally:
        _request.reset(token)


def trace_id(subject: str) -> str:
    """32 hexadecimal digits for a question, or for the id of whatever else is worked on."""
    return hashlib.sha256(b"trace:" + subject.encode()).hexdigest()[:32]


def root_id(subject: str) -> str:
    """16 hexadecimal digits: the span that covers the question from its asking to its reply."""
    return hashlib.sha256(b"root:" + subject.encode()).hexdigest()[:16]


def traceparent(subject: str) -> str:
    """The header that hands the subject's trace on, at the span this thread is in."""
    here, trace = _current.get(), trace_id(subject)
    return f"00-{trace}-{here.span if here.trace == trace else root_id(subject)}-01"


def current_trace() -> str:
    """The trace this thread works in; empty outside of any."""
    return _current.get().trace


@contextmanager
def traced(subject: str, record: Recorder | None = None) -> Iterator[None]:
    """Inside, what this thread logs belongs to the subject's trace, and with `record` what it does as well."""
    token = _current.set(_Place(trace_id(subject), root_id(subject), record))
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def span(name: str, **notes: Note) -> Iterator[dict[str, Note]]:
    """Records what is done inside, below the span this thread is in. What is added to the notes is kept too."""
    here = _current.get()
    if here.record is None:
        yield notes
        return
    inner, error = replace(here, span=os.urandom(8).hex()), ""
    token, start, began = _current.set(inner), time.time_ns(), time.perf_counter_ns()
    try:
        yield notes
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        _current.reset(token)
        end = start + time.perf_counter_ns() - began
        here.record(Span(here.trace, inner.span, here.span, name, start, end, notes, error))


def whole(subject: str, name: str, since: datetime, until: datetime, **notes: Note) -> None:
    """Records the root span of the subject that this thread works on; called once, when its end is known."""
    record = _current.get().record
    if record is not None:
        end = _nanoseconds(until)
        start = min(max(_nanoseconds(since), 0), end)       # whoever asked may have another clock, or none
        record(Span(trace_id(subject), root_id(subject), "", name, start, end, notes))


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1e6) * 1000
