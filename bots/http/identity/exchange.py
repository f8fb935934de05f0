"""Requests to servers that tell who people are. Whatever these do, an answer is bounded in size and in time."""

import http.client
import ssl
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from bots.deadline import Deadline

LARGEST = 1_000_000                     # bytes of an answer
TIMEOUT_S = 5.0                         # for each step
WHOLE_S = 15.0                          # for all of an answer that comes drop by drop
FAILURES = (OSError, http.client.HTTPException, ValueError)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: bytes


def exchange(method: str, address: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
    """No redirects, no proxies, no compression. Raises one of FAILURES."""
    place = urlsplit(address)
    target = (place.path or "/") + (f"?{place.query}" if place.query else "")
    connection = _connection(place)
    with closing(connection), Deadline(connection, WHOLE_S) as deadline:
        try:
            deadline.connect()
            connection.request(method, target, body or None, {**headers, "User-Agent": "vouch"})
            response = connection.getresponse()
            found = Reply(response.status, response.read(LARGEST + 1))
        except FAILURES as error:
            if deadline.passed:
                raise TimeoutError("the answer comes too slowly") from error
            raise
        if deadline.passed:             # to http.client a connection that ends early may be a whole answer
            raise TimeoutError("the answer comes too slowly")
    if len(found.body) > LARGEST:
        raise ValueError("the answer is too large")
    return found


def fetched(address: str, headers: Mapping[str, str] | None = None) -> bytes:
    """What is at the address. Raises one of FAILURES, also for another status than 200."""
    found = exchange("GET", address, {"Accept": "application/json", **(headers or {})})
    if found.status != 200:
        raise http.client.HTTPException(f"status {found.status}")
    return found.body


def _connection(place: SplitResult) -> http.client.HTTPConnection:
    host, port = place.hostname or "", place.port
    if place.scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=TIMEOUT_S, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
