"""Signed tokens (JWT), and what one must say to count."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bots.http.identity.jwks import KeySource
from bots.http.identity.proxy import person
from vouch.errors import Unidentified, Usage

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA")
LEEWAY_S = 30
LONGEST = 16_000                        # characters of a token


@dataclass(frozen=True, slots=True)
class Expected:
    """What a token must say. `claim` names the person; an e-mail address must be a verified one."""

    issuer: str
    audience: str
    algorithms: tuple[str, ...]
    claim: str = "email"


class SignedTokens:
    """Algorithm, audience and issuer are those of the settings, whatever a token says."""

    def __init__(
        self, keys: KeySource, expected: Expected, setting: str, clock: Callable[[], float] = time.time
    ) -> None:
        """`setting` begins the names of the settings. Raises Usage unless all that a token is checked by is set."""
        wrong = [name for name in expected.algorithms if name not in ALGORITHMS]
        if wrong or not expected.algorithms:
            raise Usage(f"tokens are not signed with {', '.join(wrong) or 'nothing'} here",
                        cure=f"choose {setting}_ALGORITHMS from {', '.join(ALGORITHMS)}")
        self.claim = expected.claim
        self._keys = keys
        self._expected = expected
        self._clock = clock

    def claims(self, token: str, cure: str, **more: Any) -> dict[str, Any]:
        """What a token with a good signature says, in time and for us; `more` claims must have these values.

        Raises Unidentified, and Unavailable if the keys cannot be had.
        """
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError, JoseError

        expected = self._expected
        try:
            if len(token) > LONGEST:
                raise ValueError("too long")
            try:
                read = jwt.decode(token, self._keys.keys(), algorithms=list(expected.algorithms))
            except InvalidKeyIdError:           # a key that is younger than our copy
                read = jwt.decode(token, self._keys.keys(fresh=True), algorithms=list(expected.algorithms))
            _registry(expected, int(self._clock()), more).validate(read.claims)
        except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise Unidentified("the token is not valid here", cure=cure) from error
        return dict(read.claims)

    def person(self, claims: dict[str, Any], cure: str) -> str:
        """The access tag of whom the claims name. Raises Unidentified if they name nobody, or an unverified address."""
        name = claims.get(self._expected.claim)
        verified = self._expected.claim != "email" or claims.get("email_verified") is True
        if not isinstance(name, str) or not verified:
            raise Unidentified("the token does not name a person", cure=cure)
        return person(name)


def _registry(expected: Expected, now: int, more: dict[str, Any]) -> Any:
    from joserfc import jwt

    wanted: dict[str, Any] = {name: {"essential": True, "value": value} for name, value in more.items()}
    return jwt.JWTClaimsRegistry(
        now=now, leeway=LEEWAY_S,
        iss={"essential": True, "value": expected.issuer}, aud={"essential": True, "value": expected.audience},
        exp={"essential": True}, iat={"essential": True}, **wanted,
    )


def chosen(text: str) -> Sequence[str]:
    """The names in a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
