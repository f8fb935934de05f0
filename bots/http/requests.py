"""From a request to its caller, and to the wait for an answer."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from bots.http.arrivals import Arrivals
from bots.http.backend import Questions
from bots.http.caller import Caller, Credentials
from bots.http.cookies import cookies_of
from bots.http.identity.identities import Identities


def credentials_of(request: Request) -> Credentials:
    raw = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in request.headers.raw]
    counts = Counter(name for name, _ in raw)
    return Credentials(
        peer=request.client.host if request.client else "",
        headers=dict(raw), cookies=cookies_of(raw), repeated=frozenset(n for n, count in counts.items() if count > 1),
    )  # fmt: skip


def caller_of(identities: Identities) -> Callable[[Request], Caller]:
    """A dependency of FastAPI: the caller, or 401. It runs in a thread, as keys of tokens may have to be fetched."""

    def caller(request: Request) -> Caller:
        return identities.caller(credentials_of(request))

    return caller


async def waited_for(
    arrivals: Arrivals, questions: Questions, question_id: str, reader: str, seconds: float,
    acts_for: Collection[str] = (),
) -> Mapping[str, Any] | None:  # fmt: skip
    """The answer, once it is there; None if it is not in time."""
    if not await arrivals.wait(question_id, seconds):
        return None
    return await run_in_threadpool(questions.look, question_id, reader, acts_for)
