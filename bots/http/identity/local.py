"""One person at this machine: a link with a token that works once gives the browser a session."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable

from bots.http.identity.addresses import is_loopback
from bots.http.identity.caller import Caller, Credentials, cookie_name
from vouch.errors import Unidentified

COOKIE = "vouch_session"
LIFE_S = 12 * 3600.0
_CURE = "start vouch serve again, and open the link that it prints"


class LocalSessions:
    """Implements Identity for the one person that `vouch serve --as` names. All of it ends with the process."""

    def __init__(self, tag: str, clock: Callable[[], float] = time.monotonic, *, secure: bool = False) -> None:
        """`secure`: its cookie travels by https alone."""
        self.cookie = cookie_name(COOKIE, secure=secure)
        self._tag = tag
        self._clock = clock
        self._token: str | None = secrets.token_urlsafe(32)
        self._sessions: dict[str, float] = {}           # the hash of each, and when it ends
        self._lock = threading.Lock()

    @property
    def token(self) -> str:
        """For the link. Empty once it was used."""
        return self._token or ""

    def enter(self, token: str, peer: str) -> str:
        """A new session, whatever the browser had before. Raises Unidentified for any token but the unused one."""
        with self._lock:
            known = self._token
            if not is_loopback(peer) or known is None or not hmac.compare_digest(known.encode(), token.encode()):
                raise Unidentified("the link was used before, or is not that of this process", cure=_CURE)
            self._token = None
            session = secrets.token_urlsafe(32)
            self._sessions[_hash(session)] = self._clock() + LIFE_S
            return session

    def leave(self, session: str) -> None:
        with self._lock:
            self._sessions.pop(_hash(session), None)

    def caller(self, credentials: Credentials) -> Caller | None:
        session = credentials.cookies.get(self.cookie)
        if session is None:
            return None
        with self._lock:
            ends = self._sessions.get(_hash(session), 0.0)
        if not is_loopback(credentials.peer) or self._clock() >= ends:
            raise Unidentified("the session has ended", cure=_CURE)
        return Caller(self._tag, "local", session)

    def waits(self, credentials: Credentials) -> bool:
        return False


def _hash(session: str) -> str:
    return hashlib.sha256(session.encode(errors="replace")).hexdigest()
