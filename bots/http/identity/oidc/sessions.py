"""Who is signed in, kept by the browser in a cookie that only this service can make."""

import base64
import hmac
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from bots.http.identity.caller import Caller, Credentials, cookie_name
from vouch.errors import Unidentified

COOKIE = "vouch_person"
LONGEST_S = 7 * 24 * 3600.0             # the most that VOUCH_HTTP__OIDC_HOURS may be
_KIND = "session"


class Seal:
    """Makes and reads small signed values; what is of another kind, was changed or is over does not count. Whoever
    holds one can read what is in it, and make none."""

    def __init__(self, key: bytes, clock: Callable[[], float] = time.time) -> None:
        self._key, self._clock = key, clock

    def now(self) -> float:
        return self._clock()

    def put(self, kind: str, seconds: float, values: dict[str, str]) -> str:
        from joserfc import jwt
        from joserfc.jwk import OctKey

        now = int(self._clock())
        claims = {"kind": kind, "iat": now, "exp": now + int(seconds), **values}
        return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(self._key))

    def derived(self, kind: str, text: str) -> str:
        """43 characters that are the same for the same text in every process, and that nobody else can tell."""
        found = hmac.digest(self._key, f"{kind}:{text}".encode(errors="replace"), "sha256")     # no JWT has a colon
        return base64.urlsafe_b64encode(found).rstrip(b"=").decode()

    def read(self, kind: str, text: str, seconds: float) -> dict[str, Any] | None:
        """What was put `seconds` ago or earlier is over, however long it was made for."""
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import OctKey

        try:
            claims = jwt.decode(text, OctKey.import_key(self._key), algorithms=["HS256"]).claims
            jwt.JWTClaimsRegistry(now=int(self._clock()), leeway=0, exp={"essential": True},
                                  kind={"essential": True, "value": kind}).validate(claims)
            fresh = int(claims["iat"]) + seconds > self._clock()
        except (JoseError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return dict(claims) if fresh else None


class Ended(Protocol):
    """What is over, known to every process and after a restart. Its methods may raise Unavailable."""

    def end(self, name: str, seconds: float) -> bool:
        """Whether it was not over before. It is remembered for so long."""
        ...

    def is_ended(self, name: str) -> bool: ...

    def end_until(self, name: str, until: float) -> None:
        """It is remembered until that time, or longer where that was said before."""
        ...

    def untils(self, names: Collection[str]) -> Mapping[str, float]:
        """Of those that are over: until when it is remembered."""
        ...


class SignedSessions:
    """Implements Identity. Where it cannot be told whether a session was ended, it does not count."""

    def __init__(self, seal: Seal, hours: float, ended: Ended, *, secure: bool = False) -> None:
        """`hours` counts for sessions that were begun before, too: that one was ended is remembered no longer.
        `secure`: its cookie travels by https alone."""
        self.cookie = cookie_name(COOKIE, secure=secure)
        self._seal, self.ended = seal, ended
        self.seconds = hours * 3600

    def begin(self, tag: str, person: str = "", session: str = "") -> str:
        """The cookie of a new session of this person, whatever the browser had before. `person` and `session` are what
        the provider calls them."""
        return self._seal.put(_KIND, self.seconds, {
            "tag": tag, "sid": secrets.token_urlsafe(16), "person": person, "session": session,
        })  # fmt: skip

    def end(self, session: str) -> None:
        """In every process. Raises Unavailable if that cannot be noted: it goes on then."""
        self.ended.end(f"{_KIND} {session}", self.seconds)

    def end_of(self, person: str, session: str) -> None:
        """Those begun before now within a session of the provider, or, without that, of a person. Where it names the
        sessions of a person at times only, those that it did not name end too. Raises Unavailable."""
        until = self._seal.now() + LONGEST_S
        if session:
            self.ended.end_until(_of_session(session), until)
        if person:
            self.ended.end_until(_nameless(person) if session else _of_person(person), until)

    def caller(self, credentials: Credentials) -> Caller | None:
        cookie = credentials.cookies.get(self.cookie)
        if cookie is None:
            return None
        found = self._seal.read(_KIND, cookie, self.seconds)
        if found is None or self._is_over(found):
            raise Unidentified("the session has ended", cure="sign in again: /sign-in")
        return Caller(str(found["tag"]), "oidc", str(found["sid"]))

    def waits(self, credentials: Credentials) -> bool:
        return self.cookie in credentials.cookies

    def _is_over(self, found: dict[str, Any]) -> bool:
        if "person" not in found or "session" not in found:
            return True                         # begun by a former vouch: the provider could not end it
        own, person, session = f"{_KIND} {found['sid']}", str(found["person"]), str(found["session"])
        names = [_of_person(person), _of_session(session) if session else _nameless(person)]
        noted = self.ended.untils([own, *names])
        return own in noted or any(int(found["iat"]) <= noted[name] - LONGEST_S for name in names if name in noted)


def _of_person(name: str) -> str:
    return f"sessions of the person {name}"


def _of_session(name: str) -> str:
    return f"sessions of the session {name}"


def _nameless(person: str) -> str:
    """Those for which the provider named no session."""
    return f"sessions without a name of the person {person}"
