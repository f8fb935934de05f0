"""Signed tokens (JWT): what one must say to count, and which groups of the directory it names."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bots.http.identity.jwks import KeySource
from bots.http.identity.proxy import person
from vouch.access import parse_tag
from vouch.errors import BadAccess, Unidentified, Usage

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


_KNOWN = 10_000                         # people; of whoever came longest ago it is noted once more


class GroupNotes(Protocol):
    def note(self, tag: str, groups: Sequence[str], proven: float) -> bool:
        """The person is in these groups, and in no others that are proven, as of that time. False if the directory
        does not list them, and nothing counts. Raises what a ledger that is away raises."""
        ...


class GroupClaims:
    """Threads share it. What the setting does not name counts for nothing."""

    def __init__(self, claim: str, groups: Mapping[str, str], notes: GroupNotes) -> None:
        """`groups`: by a value of the claim the access tag of a group. Raises Usage for a tag that is none."""
        self._claim, self._notes = claim, notes
        self._groups = {value: _group(tag) for value, tag in groups.items()}
        self._noted: OrderedDict[str, tuple[float, frozenset[str]]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, tag: str, claims: Mapping[str, Any]) -> None:
        """Of a token whose signature, issuer, audience and time hold, and that names this person."""
        seen = float(claims["iat"]), self._named(claims)
        with self._lock:
            known = self._noted.get(tag)
        if known is not None and (known == seen or known[0] > seen[0]):
            return                          # an older token tells nothing new
        if not self._notes.note(tag, sorted(seen[1]), seen[0]):
            return
        with self._lock:
            self._noted[tag] = seen
            self._noted.move_to_end(tag)
            while len(self._noted) > _KNOWN:
                self._noted.popitem(last=False)

    def _named(self, claims: Mapping[str, Any]) -> frozenset[str]:
        """None where the claim is missing, or is neither a text nor a list."""
        found = claims.get(self._claim)
        values = [found] if isinstance(found, str) else found if isinstance(found, list) else []
        return frozenset(self._groups[one] for one in values if isinstance(one, str) and one in self._groups)


def _group(tag: str) -> str:
    try:
        kind, _, name = parse_tag(tag).partition(":")
    except BadAccess as error:
        raise Usage(f"groups of tokens: {error.cause}", cure="fix VOUCH_HTTP__GROUP_MAP") from error
    if kind != "group":
        raise Usage(f"groups of tokens: {tag!r:.80} is no group", cure="fix VOUCH_HTTP__GROUP_MAP: write group:NAME")
    return name
