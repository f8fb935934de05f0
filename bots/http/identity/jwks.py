"""The keys that tokens are signed with: a JWKS in a file, or at an address."""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import SplitResult, urlsplit

from vouch.errors import Unavailable, Usage

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

LARGEST = 1_000_000
TIMEOUT_S = 5.0
KEPT_S, LEAST_S, LONGEST_S = 300.0, 10.0, 3600.0        # a copy is new, not asked for again, too old to go on with
WAIT_S = 1.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_SETTING = "VOUCH_HTTP__BEARER_JWKS"


class KeySource(Protocol):
    def keys(self, *, fresh: bool = False) -> "KeySet":
        """`fresh`: a token names a key that is not among those given before. Raises Unavailable."""
        ...


class Jwks:
    """Implements KeySource. A copy serves for five minutes; for an hour where its place cannot be reached.

    One request reads a new copy. The others go on with the old one; they wait a second if a token names a key that is
    not in it, and as long as it takes if there is none.
    """

    def __init__(self, read: Callable[[], bytes], clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._clock = clock
        self._reading = threading.Lock()
        self._kept: tuple[float, KeySet] | None = None
        self._tried = float("-inf")

    def keys(self, *, fresh: bool = False) -> "KeySet":
        failed: Exception | None = None
        before = self._kept
        if self._is_due(fresh):
            wait_s = -1.0 if self._age() >= LONGEST_S else WAIT_S if fresh else 0.0
            if self._reading.acquire(timeout=wait_s):
                try:
                    failed = self._look() if self._kept is before and self._is_due(fresh) else None
                finally:
                    self._reading.release()
        kept = self._kept
        if kept is None or self._clock() - kept[0] >= LONGEST_S:
            raise Unavailable(f"the keys of tokens cannot be read{f': {type(failed).__name__}' if failed else ''}",
                              cure=f"check {_SETTING}") from failed
        return kept[1]

    def _age(self) -> float:
        kept = self._kept
        return self._clock() - kept[0] if kept else LONGEST_S

    def _is_due(self, fresh: bool) -> bool:
        return (fresh or self._age() >= KEPT_S) and self._clock() - self._tried >= LEAST_S

    def _look(self) -> Exception | None:
        """A new copy, or why there is none."""
        try:
            self._kept = self._clock(), _key_set(self._read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            return error
        finally:
            self._tried = self._clock()             # now: whoever comes while it is read waits for it
        return None


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
        return response.read(LARGEST)


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
