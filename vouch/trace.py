"""One id for all that is done about a question, in every process, from its asking to its reply.

It is made from the question's id, so nothing needs to carry it: whoever
knows the question knows its trace. The form is that of W3C Trace Context.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_current: ContextVar[str] = ContextVar("trace", default="")


def trace_id(subject: str) -> str:
    """32 hexadecimal digits for a question, or for the id of whatever else is worked on."""
    return hashlib.sha256(b"trace:" + subject.encode()).hexdigest()[:32]


def traceparent(trace: str, step: str) -> str:
    """The header that hands the trace on; `step` names what was done in it."""
    return f"00-{trace}-{hashlib.sha256(step.encode()).hexdigest()[:16]}-01"


def current_trace() -> str:
    """The trace this thread works in; empty outside of any."""
    return _current.get()


@contextmanager
def traced(subject: str) -> Iterator[None]:
    """Inside, what this thread logs belongs to the subject's trace."""
    token = _current.set(trace_id(subject))
    try:
        yield
    finally:
        _current.reset(token)
