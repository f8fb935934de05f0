"""Server-sent events of a question: stages and sentences as they come, then the whole answer."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool

from bots.http.backend import Progress, Questions
from bots.http.problems import problem
from vouch.errors import Denied, VouchError

LOOK_S, ALIVE_S, LONGEST_S = 0.04, 15.0, 300.0
MEDIA_TYPE = "text/event-stream"


async def events(
    questions: Questions, progress: Progress, named: str, reader: str, after: int, number: str,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[bytes]:  # fmt: skip
    """`stage`, `sentence`, then one `answer` or `problem`, which is the last.

    A sentence comes only if the reader may read what it cites at that moment.
    Until the answer is there none is final: a second `retrieve` begins anew.
    """
    until, spoke = clock() + LONGEST_S, clock()
    try:
        while clock() < until:
            sent = await run_in_threadpool(questions.is_sent, named)
            if sent or not await run_in_threadpool(questions.is_asker, named, reader):
                answer = await run_in_threadpool(questions.look, named, reader)
                if answer is not None:
                    yield _frame("answer", answer)
                    return
            for event in progress.after(named, after):
                after, spoke = event.number, clock()
                if event.chunks and not await run_in_threadpool(questions.may_read, reader, event.chunks):
                    raise Denied("what this answer is made from may not be read any more", cure="ask again")
                yield _frame(event.kind, event.data, event.number)
            if clock() - spoke >= ALIVE_S:
                spoke = clock()
                yield b": still at work\n\n"
            await asyncio.sleep(LOOK_S)
    except VouchError as error:
        yield _frame("problem", problem(error, number).model_dump())


def _frame(kind: str, data: Mapping[str, Any], number: int | None = None) -> bytes:
    """One event. JSON on one line has no line end, whatever its words are."""
    lead = f"id: {number}\n" if number is not None else ""
    return f"{lead}event: {kind}\ndata: {json.dumps(dict(data))}\n\n".encode()
