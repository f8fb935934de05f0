"""From a request to its caller, and to the part of a list that it wants."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from bots.http.identity.caller import Caller, Credentials, cookies_of
from bots.http.identity.identities import Identities


def credentials_of(request: Request) -> Credentials:
    raw = [(name.decode("latin-1").lower(), _text(value)) for name, value in request.headers.raw]
    counts = Counter(name for name, _ in raw)
    return Credentials(
        peer=request.client.host if request.client else "",
        headers=dict(raw), cookies=cookies_of(raw), repeated=frozenset(n for n, count in counts.items() if count > 1),
    )  # fmt: skip


def _text(value: bytes) -> str:
    """As those write it who put names of people into headers; HTTP itself knows ASCII alone."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def caller_of(identities: Identities) -> Callable[[Request], Awaitable[Caller]]:
    """A dependency of FastAPI: the caller, or 401. A thread is taken only for what may wait, such as keys of tokens."""

    async def caller(request: Request) -> Caller:
        credentials = credentials_of(request)
        if identities.waits(credentials):
            return await run_in_threadpool(identities.caller, credentials)
        return identities.caller(credentials)

    return caller


class Page(BaseModel):
    """As a request asks for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: Annotated[int, Field(ge=0, le=1_000_000_000, description="How many to pass over.")] = 0
    limit: Annotated[int, Field(ge=1, le=500, description="How many at most.")] = 100


Wanted = Annotated[Page, Query()]
Next = Annotated[str | None, Field(description="Address of what follows; null at the end.")]


def cut(rows: Sequence[Any], page: Page, request: Request) -> tuple[list[Any], str | None]:
    """What is wanted of them, and the address of the next page if there is one."""
    return list(rows[page.first : page.first + page.limit]), next_of(len(rows), page, request)


def next_of(count: int, page: Page, request: Request) -> str | None:
    """The address of the next page of so many rows, if there is one."""
    end = page.first + page.limit
    return f"{request.url.path}?{urlencode({'first': end, 'limit': page.limit})}" if end < count else None
