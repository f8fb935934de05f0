"""The provider says that somebody has signed out: OpenID Connect Back-Channel Logout 1.0."""

import time
from collections.abc import Callable
from typing import Any

from bots.http.identity.oidc.sign_in import SignIn
from vouch.errors import Unidentified, Usage

EVENT = "http://schemas.openid.net/event/backchannel-logout"
_OLDEST_S = 3600.0                      # of a token, however long it says that it counts
_KIND, _CURE = "logout", "check the logout address and the keys of the provider"


class Logouts:
    """What a browser or anybody else could make, or was made to sign somebody in, ends nothing."""

    def __init__(self, known: SignIn, clock: Callable[[], float] = time.time) -> None:
        self._known, self._clock = known, clock

    def take(self, token: str) -> None:
        """Ends the sessions that it names. Raises Usage for what is no logout token, and Unavailable: nothing is lost
        then, since the provider may send it again."""
        try:
            claims = self._known.tokens.claims(token, _CURE)
        except Unidentified as error:
            raise _refused("it is not valid here") from error
        person, session, once = (_text(claims, name) for name in ("sub", "sid", "jti"))
        events = claims.get("events")
        if not isinstance(events, dict) or not isinstance(events.get(EVENT), dict):
            raise _refused("it tells of no logout")
        if "nonce" in claims:
            raise _refused("it was made to sign somebody in")
        if not once or not (person or session):
            raise _refused("it has no number, or names nobody")
        if claims["iat"] + _OLDEST_S < self._clock():
            raise _refused("it is too old")
        sessions = self._known.sessions
        if sessions.ended.is_ended(f"{_KIND} {once}"):
            return                          # who signed in again since stays signed in
        sessions.end_of(person, session)
        sessions.ended.end(f"{_KIND} {once}", 2 * _OLDEST_S)    # last: if the rest fails, it counts when it comes again


def _text(claims: dict[str, Any], name: str) -> str:
    """Empty where the claim is missing."""
    value = claims.get(name, "")
    if not isinstance(value, str):
        raise _refused(f"its {name} is no text")
    return value


def _refused(why: str) -> Usage:
    return Usage(f"the logout token does not count: {why}", cure=_CURE)
