"""Programs send a signed token (JWT) of a named issuer, and are told where to get one (RFC 9728).

All that they are told is what the settings say, whatever name a request gives the service.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from bots.http.identity.caller import Caller, Credentials
from bots.http.identity.jwks import KeySource
from bots.http.identity.tokens import Expected, GroupClaims, SignedTokens
from vouch.access import parse_tag
from vouch.errors import BadAccess, Unidentified, Usage

_CURE = "get a new token from whoever issues them"
_OF_ID_TOKENS = ("nonce", "at_hash", "c_hash", "s_hash")        # OpenID Connect Core, 2 and 3.3.2.11


class BearerTokens:
    """Implements Identity."""

    def __init__(
        self, keys: KeySource, expected: Expected, clock: Callable[[], float] = time.time,
        acts_for: Mapping[str, Sequence[str]] | None = None, groups: GroupClaims | None = None,
    ) -> None:  # fmt: skip
        """`acts_for`: by the tag of a program the readers that it may ask for; `groups`: which of those that a token
        names are believed; without it none. Raises Usage unless all that a token is checked by is set."""
        self._groups = groups
        self._acts_for = _tags(acts_for or {})
        self._tokens = SignedTokens(keys, expected, "VOUCH_HTTP__BEARER", clock)
        if not expected.issuer or not expected.audience:
            raise Usage("tokens are taken only of one issuer and for one audience",
                        cure="set VOUCH_HTTP__BEARER_ISSUER and VOUCH_HTTP__BEARER_AUDIENCE")

    def caller(self, credentials: Credentials) -> Caller | None:
        header = credentials.headers.get("authorization")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or "authorization" in credentials.repeated:
            raise Unidentified("the Authorization header holds no token that is taken here", cure=_CURE)
        claims = self._tokens.claims(token.strip(), _CURE)
        if "events" in claims:
            raise Unidentified("the token tells of an event, such as a logout, and proves nobody", cure=_CURE)
        if any(name in claims for name in _OF_ID_TOKENS):
            raise Unidentified("the token was made to sign a person in, and is not for programs", cure=_CURE)
        person = self._tokens.person(claims, _CURE)
        if self._groups is not None:
            self._groups.take(person, claims)
        return Caller(person, "bearer", acts_for=self._acts_for.get(person, frozenset()))

    def waits(self, credentials: Credentials) -> bool:
        return "authorization" in credentials.headers


def _tags(acts_for: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    try:
        return {parse_tag(tag): frozenset(parse_tag(one) for one in readers) for tag, readers in acts_for.items()}
    except BadAccess as error:
        raise Usage(f"programs that ask for others: {error.cause}", cure="fix VOUCH_HTTP__BEARER_ASKS_FOR") from error


WELL_KNOWN = "/.well-known/oauth-protected-resource"


@dataclass(slots=True)
class Resource:
    """The service where others reach it, and whose tokens it takes."""

    address: str
    issuer: str

    def metadata(self, path: str) -> dict[str, Any]:
        return {"resource": f"{self.address}{path}", "resource_name": "vouch",
                "authorization_servers": [self.issuer], "bearer_methods_supported": ["header"]}

    def challenge(self, path: str) -> dict[str, str]:
        """The header of a 401."""
        return {"WWW-Authenticate": f'Bearer resource_metadata="{self.address}{WELL_KNOWN}{path}"'}


def build_resource(resource: Resource, paths: Collection[str]) -> APIRouter:
    """For the whole service, and for each of the paths. It needs no identity."""
    pages = APIRouter(include_in_schema=False)

    def told(path: str) -> None:
        @pages.get(f"{WELL_KNOWN}{path}")
        def metadata() -> Response:
            return JSONResponse(resource.metadata(path))

    for path in ("", *paths):
        told(path)
    return pages
