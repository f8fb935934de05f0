"""One request over HTTP to one network address, bounded in time and bytes."""

import http.client
import socket
import ssl
import time
import zlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from vouch.adapters.web.guard.policy import Location
from vouch.errors import FetchRefused, WebDown

_BLOCK = 64 * 1024
_CONNECT_S = 5.0


@dataclass(frozen=True, slots=True)
class Reply:
    """Header names are in lower case; `body` is decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def exchange(
    method: str, location: Location, address: str, headers: Mapping[str, str], body: bytes = b"", *,
    until: float, most_bytes: int,
) -> Reply:  # fmt: skip
    """The reply of the machine at `address`, whatever the name says by now. Redirects and proxies are not followed.

    `until` is a time of `time.monotonic`, for the exchange as a whole. Raises
    WebDown if nothing sound comes by then, FetchRefused for a reply that is too large.
    """
    try:
        with closing(_Pinned(location, address, until)) as connection:
            connection.request(method, location.target, body or None, {**headers, "Accept-Encoding": "gzip"})
            with closing(connection.getresponse()) as response:
                reply_headers = {name.lower(): value for name, value in response.getheaders()}
                return Reply(response.status, reply_headers, _read(response, reply_headers, most_bytes))
    except TimeoutError as error:
        raise WebDown("no reply in time") from error
    except (OSError, http.client.HTTPException, ValueError, zlib.error) as error:
        raise WebDown(f"the exchange failed: {type(error).__name__}") from error


class _Bounded:
    """Of a socket: each wait lasts no longer than is left of the whole, so that bytes that drip do not prolong it."""

    until: float

    def recv_into(self, *arguments: Any, **named: Any) -> int:
        self.settimeout(_left(self.until))  # type: ignore[attr-defined]
        return int(super().recv_into(*arguments, **named))  # type: ignore[misc]


class _PlainSocket(_Bounded, socket.socket):
    pass


class _TlsSocket(_Bounded, ssl.SSLSocket):
    pass


class _Pinned(http.client.HTTPConnection):
    """Connects to `address` and to no other, and keeps the name for the Host header and the certificate."""

    def __init__(self, location: Location, address: str, until: float) -> None:
        self.default_port = 443 if location.scheme == "https" else 80
        super().__init__(location.host, location.port)
        self._location, self._address, self._until = location, address, until

    def connect(self) -> None:
        family = socket.AF_INET6 if ":" in self._address else socket.AF_INET
        opened = _PlainSocket(family, socket.SOCK_STREAM)
        try:
            opened.until = self._until
            opened.settimeout(min(_CONNECT_S, _left(self._until)))
            opened.connect((self._address, self._location.port))
            opened.settimeout(_left(self._until))
            self.sock = opened
            if self._location.scheme == "https":
                context = ssl.create_default_context()
                context.sslsocket_class = _TlsSocket
                secured: Any = context.wrap_socket(opened, server_hostname=self._location.host)
                secured.until = self._until
                self.sock = secured
        except BaseException:
            opened.close()
            raise


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _read(response: http.client.HTTPResponse, headers: Mapping[str, str], most: int) -> bytes:
    """At most `most` bytes, before and after they are decompressed."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip", ""):
        raise FetchRefused("a page in a coding that was not asked for")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 16) if coding == "gzip" else None
    content, taken = bytearray(), 0
    while block := response.read1(_BLOCK):
        taken += len(block)
        content += unpack.decompress(block, most + 1 - len(content)) if unpack else block
        if taken > most or len(content) > most:
            raise FetchRefused(f"a page larger than {most:,} bytes")
    if response.length:                 # the connection ended before what was announced
        raise WebDown("the exchange failed: it ended early")
    if unpack and not unpack.eof:
        raise WebDown("the exchange failed: it ended early")
    return bytes(content)
