"""Lists in pages: which part is wanted, and where the next one is."""

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field


class Page(BaseModel):
    """As a request asks for it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

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
