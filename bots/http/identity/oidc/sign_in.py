"""Signing in: the browser goes to the provider and comes back with a code, which is good once and for it alone."""

import hmac
import secrets
from dataclasses import dataclass
from typing import NamedTuple

from bots.http.identity.oidc.provider import Provider
from bots.http.identity.oidc.sessions import Seal, SignedSessions
from bots.http.identity.tokens import GroupClaims, SignedTokens
from vouch.errors import Unidentified

COOKIE = "vouch_sign_in"
WAIT_S = 600.0                          # from the first step to the last
_KIND, _CURE = "sign-in", "begin again: /sign-in"
_DIGITS = 8


class Begun(NamedTuple):
    """Where the browser goes, and the cookie that it has to bring back."""

    address: str
    name: str
    cookie: str


def begun_cookie(state: str) -> str:
    """Of each sign-in one of its own: a browser may begin several at once."""
    return f"{COOKIE}_{state[:_DIGITS]}"


@dataclass
class SignIn:
    """`sessions` are those of people who have signed in; `groups`: what is believed of groups in tokens; without it
    nothing is. Nothing that a browser brings is believed unless it is ours: its state and its nonce lie in a
    cookie that only this service can make. The code verifier lies nowhere: it is made of the state again."""

    provider: Provider
    tokens: SignedTokens
    client: str
    seal: Seal
    sessions: SignedSessions
    groups: GroupClaims | None = None

    def start(self, wanted: str) -> Begun:
        """`wanted` is kept for the end. Raises Unavailable."""
        state, nonce = (secrets.token_urlsafe(48) for _ in range(2))
        address = self.provider.start(state, nonce, self._verifier(state))
        return Begun(address, begun_cookie(state),
                     self.seal.put(_KIND, WAIT_S, {"state": state, "nonce": nonce, "wanted": wanted}))

    def finish(self, cookie: str, state: str, code: str, error: str) -> tuple[str, str]:
        """The cookie of the person's session, and what was wanted. Raises Unidentified, and Unavailable if the
        provider is."""
        begun = self.seal.read(_KIND, cookie, WAIT_S)
        if begun is None or not hmac.compare_digest(str(begun["state"]).encode(), state.encode(errors="replace")):
            raise Unidentified("this sign-in was not begun in this browser, or took too long", cure=_CURE)
        self._use(state)
        if error or not code:
            raise Unidentified("the provider did not let you in", cure=_CURE)
        redeemed = self.provider.redeem(code, self._verifier(state))
        claims = self.tokens.claims(redeemed.id_token, _CURE, nonce=str(begun["nonce"]))
        if claims.get("azp", self.client) != self.client:
            raise Unidentified("the token is for somebody else", cure=_CURE)
        whole = claims
        if self.tokens.claim not in claims and redeemed.access:
            more = self.provider.person(redeemed.access)
            if more.get("sub") != claims.get("sub") or not claims.get("sub"):
                raise Unidentified("the provider speaks of two people", cure=_CURE)
            whole = {**more, **claims}
        tag = self.tokens.person(whole, "ask who runs the provider for a verified address")
        if self.groups is not None:
            self.groups.take(tag, claims)       # of the token alone, which is signed
        session = self.sessions.begin(tag, str(whole.get("sub", "")), str(whole.get("sid", "")))
        return session, str(begun.get("wanted", ""))

    def _verifier(self, state: str) -> str:
        """PKCE's secret of one sign-in (RFC 7636)."""
        return self.seal.derived("verifier", state)

    def _use(self, state: str) -> None:
        """Once, in whatever process. Raises Unidentified for a state that came before, Unavailable."""
        if not self.sessions.ended.end(f"{_KIND} {state}", WAIT_S):
            raise Unidentified("this sign-in is over", cure=_CURE)
