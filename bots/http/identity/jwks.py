"""The keys that tokens are signed with: a JWKS in a file, or at an address."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bots.http.identity.addresses import is_safe
from bots.http.identity.exchange import fetched
from bots.http.identity.remote_documents import Copy, Times
from vouch.errors import Usage

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

TIMES = Times(kept_s=300.0, least_s=10.0, longest_s=3600.0)
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
    if not is_safe(place):
        raise Usage("the keys of tokens come from a file or by https", cure=f"fix {_SETTING}")
    return Jwks(lambda: fetched(place))


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
