"""The keys that tokens are signed with: a JWKS in a file, or at an address."""

import http.client
import json
import ssl
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import SplitResult, urlsplit

from bots.http.identity.remote_documents import Copy, Times
from vouch.errors import Usage

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

LARGEST = 1_000_000
TIMEOUT_S = 5.0
WHOLE_S = 15.0                          # for all of an answer that comes drop by drop
TIMES = Times(kept_s=300.0, least_s=10.0, longest_s=3600.0)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_SETTING = "VOUCH_HTTP__BEARER_JWKS"


class KeySource(Protocol):
    def keys(self, *, fresh: bool = False) -> "KeySet":
        """`fresh`: a token names a key that is not among those given before. Raises Unavailable."""
        ...


class Jwks:
    """Implements KeySource. A copy serves for five minutes; for an hour where its place cannot be reached."""

    def __init__(self, read: Callable[[], bytes], clock: Callable[[], float] = time.monotonic) -> None:
        self._copy = Copy(lambda: _key_set(read()), TIMES, clock)

    def keys(self, *, fresh: bool = False) -> "KeySet":
        return self._copy.get("the keys of tokens cannot be read", f"check {_SETTING}", fresh=fresh)


def open_jwks(place: str) -> Jwks:
    """Of a file, or of an https address; http on this machine only. Raises Usage."""
    if "://" not in place:
        return Jwks(Path(place).expanduser().read_bytes)
    try:
        address = urlsplit(place)
        port = address.port
    except ValueError as error:
        raise Usage("the address of the keys of tokens cannot be understood", cure=f"fix {_SETTING}") from error
    safe = address.scheme == "https" or (address.scheme == "http" and address.hostname in _LOOPBACK)
    if not safe or not address.hostname or address.username is not None:
        raise Usage("the keys of tokens come from a file or by https", cure=f"fix {_SETTING}")
    return Jwks(lambda: _fetched(address, address.hostname or "", port))


def _fetched(address: SplitResult, host: str, port: int | None) -> bytes:
    """No redirects, no proxies."""
    connection = (
        http.client.HTTPSConnection(host, port, timeout=TIMEOUT_S, context=ssl.create_default_context())
        if address.scheme == "https" else http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    )
    target = (address.path or "/") + (f"?{address.query}" if address.query else "")
    with closing(connection):
        connection.request("GET", target, headers={"Accept": "application/json", "User-Agent": "vouch"})
        response = connection.getresponse()
        if response.status != 200:
            raise http.client.HTTPException(f"status {response.status}")
        return _read(response)


def _read(response: http.client.HTTPResponse) -> bytes:
    until, parts = time.monotonic() + WHOLE_S, list[bytes]()
    while (part := response.read1(65_536)) and sum(map(len, parts)) <= LARGEST:
        parts.append(part)
        if time.monotonic() > until:
            raise TimeoutError("the keys come too slowly")
    return b"".join(parts)


def _key_set(data: bytes) -> "KeySet":
    """Only public keys that sign. Raises ValueError."""
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    try:
        body: Any = json.loads(data)
        keys = [key for key in body["keys"] if key.get("kty") != "oct" and key.get("use", "sig") == "sig"]
        return KeySet.import_key_set({"keys": keys})
    except (JoseError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise ValueError("not a JWKS") from error
