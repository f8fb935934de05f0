"""What is refused before anything looks at a request, what every response carries, and one log line each."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bots.http.problems import Show, plain_problem, response
from vouch.errors import Unavailable
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


CSP = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
       "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
HEADERS = {
    "Content-Security-Policy": CSP, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY", "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}  # fmt: skip
_ALWAYS = [(name.lower().encode(), value.encode()) for name, value in (HEADERS | {"Cache-Control": "no-store"}).items()]
UPLOAD = "/operate/upload"
_UPLOADS, _FIELDS = 4, 8_192            # large forms in memory at a time; bytes of other fields
_UPLOAD_RATE = 500_000                  # bytes a second, of connections on which the largest form still comes in time
_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Limits:
    """`hosts`: names the service answers to, without ports, so that no foreign name that is bent to it works."""

    hosts: frozenset[str]
    body_bytes: int = 65_536
    upload_bytes: int = 0               # of a form with a document, beside its other fields
    header_bytes: int = 16_384
    body_seconds: float = 10.0

    @property
    def upload_seconds(self) -> float:
        """A form with a document may be large, and so take longer to come."""
        return self.body_seconds + self.upload_bytes / _UPLOAD_RATE


class Gate:
    """ASGI middleware. Whatever goes through is of our own pages or of a program, small, and complete in time."""

    def __init__(
        self, app: ASGIApp, limits: Limits, show: Show, may_upload: Callable[[Request], bool] = lambda _: False
    ) -> None:
        """`show` gives refusals their form; `may_upload` runs in a thread."""
        self._app = app
        self._limits = limits
        self._show = show
        self._may_upload = may_upload
        self._uploads = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = scope["vouch.request_id"] = secrets.token_hex(8)
        _in_origin_form(scope)
        with noted(scope, number, _with_headers(send, number)) as sending:
            await self._passed_on(scope, receive, sending, number)

    async def _passed_on(self, scope: Scope, receive: Receive, send: Send, number: str) -> None:
        refused = self._refused(scope)
        body = b""
        if refused is None:
            try:
                body = await self._whole(scope, receive)
            except TimeoutError:
                refused = 408, "the body did not come in time"
            except _Gone:
                return
            except _TooLarge as error:
                refused = 413, f"a body has at most {error.args[0]} bytes"
            except _TooMany:
                refused = 503, "too many documents are uploaded at this moment"
            except Unavailable:
                refused = 503, "whether you may upload cannot be told at this moment"
        if refused is not None:
            told, headers = plain_problem(*refused, number), {"Connection": "close"}
            foreign = told.status == 421            # a name that is none of ours gets no page
            shown = response(told, headers) if foreign else self._show(Request(scope), told, headers)
            await shown(scope, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        size = sum(len(name) + len(value) for name, value in scope["headers"]) + len(scope["raw_path"] or b"")
        if size > self._limits.header_bytes:
            return 431, f"headers have at most {self._limits.header_bytes} bytes"
        if "transfer-encoding" in headers and "content-length" in headers:
            return 400, "a body has one length"     # whoever passes requests on may have taken the other one
        if len(headers.getlist("host")) != 1 or _name(headers["host"]) not in self._limits.hosts:
            return 421, "this service has another name; VOUCH_HTTP__HOSTS lists its names"
        if scope["method"] not in _SAFE and not _is_own(headers):
            return 403, "the request comes from a page of another site"
        return None

    async def _whole(self, scope: Scope, receive: Receive) -> bytes:
        """Large for those who may upload alone, so that nobody else takes their places, and only few at a time.

        Raises TimeoutError for what does not come in time.
        """
        most, seconds = self._limits.body_bytes, self._limits.body_seconds
        large = scope.get("path") == UPLOAD and scope["method"] not in _SAFE and self._limits.upload_bytes > most
        if not large or not await asyncio.wait_for(run_in_threadpool(self._may_upload, Request(scope)), seconds):
            async with asyncio.timeout(seconds):
                return await self._body(receive, most)
        if self._uploads >= _UPLOADS:
            raise _TooMany
        self._uploads += 1
        try:
            async with asyncio.timeout(self._limits.upload_seconds):
                return await self._body(receive, self._limits.upload_bytes + _FIELDS)
        finally:
            self._uploads -= 1

    async def _body(self, receive: Receive, most: int) -> bytes:
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Gone                 # half a form could be taken for a whole one
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                raise _TooLarge(most)
            if not message.get("more_body"):
                break
        return b"".join(parts)


class _TooLarge(Exception):
    pass


class _TooMany(Exception):
    pass


class _Gone(Exception):
    pass


def _is_own(headers: Headers) -> bool:
    """Programs send neither header; a browser says where the page is that a request comes from."""
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers["host"]


def _in_origin_form(scope: Scope) -> None:
    """Proxies may send whole addresses, whose host then counts instead of the header's (RFC 9112, 3.2.2)."""
    scheme, sign, rest = (scope["raw_path"] or b"").partition(b"://")
    if not sign or scheme.lower() not in (b"http", b"https"):
        return
    host, _, path = rest.partition(b"/")
    scope["raw_path"], scope["path"] = b"/" + path, unquote((b"/" + path).decode("ascii"))
    scope["headers"] = [(name, value) for name, value in scope["headers"] if name != b"host"] + [(b"host", host)]


def _name(host: str) -> str:
    """Of a Host header, without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).strip("[]").lower()


def _replayed(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def _with_headers(send: Send, number: str) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message.get("headers", [])}
            more = [header for header in _ALWAYS if header[0] not in there]
            message["headers"] = [*message.get("headers", []), *more, (b"x-request-id", number.encode())]
        await send(message)

    return sent


def hosts_of(host: str, named: Collection[str]) -> frozenset[str]:
    """Names that a service on `host` answers to."""
    local = {"127.0.0.1", "localhost", "::1"} if not named else set[str]()
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104  (compared)
    return frozenset(name.lower() for name in {*local, *named, *([] if everywhere else [host])})
