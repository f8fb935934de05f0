"""The provider's keys, from where it says that they are."""

import threading
from typing import TYPE_CHECKING

from bots.http.identity.jwks import Jwks, open_jwks
from bots.http.identity.oidc.provider import Provider

if TYPE_CHECKING:
    from joserfc.jwk import KeySet


class ProviderKeys:
    """Implements KeySource."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._known: tuple[str, Jwks] | None = None
        self._lock = threading.Lock()

    def keys(self, *, fresh: bool = False) -> "KeySet":
        place = self._provider.endpoint("jwks_uri")
        with self._lock:
            if self._known is None or self._known[0] != place:
                self._known = place, open_jwks(place)
            known = self._known[1]
        return known.keys(fresh=fresh)
