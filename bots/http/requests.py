"""From a request to its caller, and to the wait for an answer."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from bots.http.backend import Questions
from bots.http.caller import Caller, Credentials
from bots.http.identity.identities import Identities

_SHORTEST_S, _LONGEST_S = 0.02, 0.25    # between two looks


def credentials_of(request: Request) -> Credentials:
    raw = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in request.headers.raw]
    counts = Counter(name for name, _ in raw)
    return Credentials(
        peer=request.client.host if request.client else "",
        headers=dict(raw), cookies=request.cookies, repeated=frozenset(n for n, count in counts.items() if count > 1),
    )  # fmt: skip


def caller_of(identities: Identities) -> Callable[[Request], Caller]:
    """A dependency of FastAPI: the caller, or 401. It runs in a thread, as keys of tokens may have to be fetched."""

    def caller(request: Request) -> Caller:
        return identities.caller(credentials_of(request))

    return caller


async def waited_for(
    questions: Questions, question_id: str, reader: str, seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> Mapping[str, Any] | None:  # fmt: skip
    """The answer, once it is there; None if it is not in time."""
    until, pause = clock() + seconds, _SHORTEST_S
    while True:
        if await run_in_threadpool(questions.is_sent, question_id):
            return await run_in_threadpool(questions.look, question_id, reader)
        left = until - clock()
        if left <= 0:
            return None
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_S)
