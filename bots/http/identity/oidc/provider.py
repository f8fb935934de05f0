"""The provider that people sign in with: what it says of itself, its keys, and what it gives for a code."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bots.http.identity.addresses import is_safe
from bots.http.identity.exchange import FAILURES, fetched
from bots.http.identity.jwks import Jwks, open_jwks
from bots.http.identity.oidc.session import BoundedSession
from bots.http.identity.remote_documents import Copy, Times
from vouch.errors import Unavailable, Unidentified, Usage

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

TIMES = Times(kept_s=3600.0, least_s=5.0, longest_s=7200.0)
SCOPE = "openid email"
_CURE = "sign in again"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Redeemed:
    """`access` lets one ask the provider for more of the person."""

    id_token: str
    access: str


class Provider:
    """Every address of it is https, or http on this machine. No redirect of it is followed, and no proxy is used."""

    def __init__(
        self, issuer: str, client: str, secret: str, callback: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Raises Usage for settings that nobody could sign in with."""
        if not client or not secret:
            raise Usage("the service is not known to the provider",
                        cure="set VOUCH_HTTP__OIDC_CLIENT and VOUCH_HTTP__OIDC_SECRET as the provider gave them")
        for name, address in (("VOUCH_HTTP__OIDC_ISSUER", issuer), ("VOUCH_HTTP__ADDRESS", callback)):
            if not is_safe(address):
                raise Usage(f"{name} is no https address", cure=f"fix {name}; http is for this machine alone")
        self.issuer = issuer
        self.callback = callback
        self._client, self._secret = client, secret
        self._copy = Copy(self._discovered, TIMES, clock)

    def start(self, state: str, nonce: str, verifier: str) -> str:
        """Where the browser signs in. Raises Unavailable."""
        address, _ = self._client_of_oauth().create_authorization_url(
            self.endpoint("authorization_endpoint"), state=state, nonce=nonce, code_verifier=verifier,
        )
        return str(address)

    def redeem(self, code: str, verifier: str) -> Redeemed:
        """For the code that the browser came back with. Raises Unidentified for one that is not good, Unavailable."""
        from authlib.common.errors import AuthlibBaseError

        place = self.endpoint("token_endpoint")
        try:
            tokens = self._client_of_oauth().fetch_token(place, code=code, code_verifier=verifier,
                                                         grant_type="authorization_code")
        except AuthlibBaseError as error:
            raise Unidentified("the provider does not know this sign-in", cure=_CURE) from error
        except (*FAILURES, RecursionError) as error:
            raise Unavailable("the provider cannot be reached", cure="try again in a moment") from error
        return Redeemed(str(tokens.get("id_token", "")), str(tokens.get("access_token", "")))

    def person(self, access: str) -> Json:
        """What the provider says of the person, where its token did not. Raises Unavailable."""
        return self._get(self.endpoint("userinfo_endpoint"), {"Authorization": f"Bearer {access}"})

    def endpoint(self, name: str) -> str:
        """Raises Unavailable if the provider has none, or one that is not safe."""
        address = str(self.metadata().get(name, ""))
        if not is_safe(address):
            raise Unavailable(f"the provider names no safe {name}", cure="check VOUCH_HTTP__OIDC_ISSUER")
        return address

    def metadata(self) -> Mapping[str, Any]:
        """An hour old at most, or two while the provider cannot be reached. Raises Unavailable."""
        return self._copy.get("the provider cannot be reached", "try again in a moment")

    def _discovered(self) -> Mapping[str, Any]:
        found = self._get(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration", {})
        if found.get("issuer") != self.issuer:
            raise Unavailable("the provider says that it is another one", cure="check VOUCH_HTTP__OIDC_ISSUER")
        return found

    def _get(self, address: str, headers: Mapping[str, str]) -> Json:
        try:
            content = json.loads(fetched(address, headers))
        except (*FAILURES, RecursionError) as error:
            raise Unavailable("the provider cannot be reached", cure="try again in a moment") from error
        if not isinstance(content, dict):
            raise Unavailable("the provider gives no JSON object", cure="check VOUCH_HTTP__OIDC_ISSUER")
        return content

    def _client_of_oauth(self) -> Any:
        from authlib.oauth2.client import OAuth2Client

        return OAuth2Client(
            BoundedSession(), self._client, self._secret, scope=SCOPE, redirect_uri=self.callback,
            code_challenge_method="S256",
        )


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
