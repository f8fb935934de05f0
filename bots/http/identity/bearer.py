"""Programs send a signed token (JWT) of an issuer that the settings name."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bots.http.caller import Caller, Credentials
from bots.http.identity.jwks import KeySource
from bots.http.identity.proxy import person
from vouch.errors import Unidentified, Usage

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA")
LEEWAY_S = 30
LONGEST = 16_000                        # characters of a token
_CURE = "get a new token from whoever issues them"


@dataclass(frozen=True, slots=True)
class Expected:
    """What a token must say. `claim` names the person; an e-mail address must be a verified one."""

    issuer: str
    audience: str
    algorithms: tuple[str, ...]
    claim: str = "email"


class BearerTokens:
    """Implements Identity. Algorithm, audience and issuer are those of the settings, whatever the token says."""

    def __init__(self, keys: KeySource, expected: Expected, clock: Callable[[], float] = time.time) -> None:
        """Raises Usage unless all that a token is checked by is set."""
        wrong = [name for name in expected.algorithms if name not in ALGORITHMS]
        if wrong or not expected.algorithms:
            raise Usage(f"tokens are not signed with {', '.join(wrong) or 'nothing'} here",
                        cure=f"choose VOUCH_HTTP__BEARER_ALGORITHMS from {', '.join(ALGORITHMS)}")
        if not expected.issuer or not expected.audience:
            raise Usage("tokens are taken only of one issuer and for one audience",
                        cure="set VOUCH_HTTP__BEARER_ISSUER and VOUCH_HTTP__BEARER_AUDIENCE")
        self._keys = keys
        self._expected = expected
        self._clock = clock

    def caller(self, credentials: Credentials) -> Caller | None:
        header = credentials.headers.get("authorization")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or "authorization" in credentials.repeated or len(token) > LONGEST:
            raise Unidentified("the Authorization header holds no token that is taken here", cure=_CURE)
        return Caller(self._person(self._claims(token.strip())), "bearer")

    def _claims(self, token: str) -> dict[str, Any]:
        """What a token with a good signature says, in time and for us. Unavailable if the keys cannot be had."""
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError, JoseError

        expected = self._expected
        try:
            try:
                read = jwt.decode(token, self._keys.keys(), algorithms=list(expected.algorithms))
            except InvalidKeyIdError:           # a key that is younger than our copy
                read = jwt.decode(token, self._keys.keys(fresh=True), algorithms=list(expected.algorithms))
            _registry(expected, int(self._clock())).validate(read.claims)
        except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise Unidentified("the token is not valid here", cure=_CURE) from error
        return dict(read.claims)

    def _person(self, claims: dict[str, Any]) -> str:
        name = claims.get(self._expected.claim)
        verified = self._expected.claim != "email" or claims.get("email_verified") is True
        if not isinstance(name, str) or not verified:
            raise Unidentified("the token does not name a person", cure=_CURE)
        return person(name)


def _registry(expected: Expected, now: int) -> Any:
    from joserfc import jwt

    return jwt.JWTClaimsRegistry(
        now=now, leeway=LEEWAY_S,
        iss={"essential": True, "value": expected.issuer}, aud={"essential": True, "value": expected.audience},
        exp={"essential": True}, iat={"essential": True},
    )


def chosen(text: str) -> Sequence[str]:
    """The names in a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
