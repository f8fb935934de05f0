"""One line in the log for each request: its id, its route without what it names, its status and its time."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import Message, Scope, Send

from vouch.trace import in_request

_log = logging.getLogger(__name__)


@contextmanager
def noted(scope: Scope, number: str, send: Send) -> Iterator[Send]:
    """In it everything that is logged has the request's id. What is sent by the send that it gives is looked at."""
    began, status = time.monotonic(), 0

    async def sending(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    with in_request(number):
        try:
            yield sending
        finally:
            route = getattr(scope.get("route"), "path", "no route")     # never the path: it may name a document
            took = 1000 * (time.monotonic() - began)
            _log.info("http: request %s: %s %s: %d in %.0f ms", number, scope["method"], route, status, took)
