"""All ways that are on, what happens to a request that uses none, and how often each may come."""

from collections.abc import Sequence
from dataclasses import replace

from bots.http.identity.caller import NOBODY_KNOWN, Caller, Credentials, Identity
from bots.http.identity.local import LocalSessions
from bots.http.identity.proxy import TrustedPeers, caller_address
from bots.http.load import Pace
from vouch.errors import Unidentified

_LINK = "open the link that vouch serve printed; if it was used, start vouch serve again"


class Identities:
    """Implements Identity. A request that tries two ways is refused: it would be one person or another by chance.

    People are counted by name, wherever they are; who proves nothing, or something wrong, by address.
    """

    def __init__(
        self, ways: Sequence[Identity], *, anonymous: bool, per_minute: int = 0, proxies: TrustedPeers | None = None
    ) -> None:
        """With `anonymous`, who proves nothing reads what is public; else they are refused."""
        self._ways = tuple(ways)
        self._anonymous = anonymous
        self._pace, self._proxies = Pace(per_minute), proxies

    def caller(self, credentials: Credentials) -> Caller:
        """Raises Unidentified, and Guarded for who comes too often."""
        try:
            found = self._proven(credentials)
        except Unidentified:
            self.count_stranger(credentials)
            raise
        if found is None:
            return replace(NOBODY_KNOWN, address=self.count_stranger(credentials))
        self._pace.take(found.tag)
        return found

    def waits(self, credentials: Credentials) -> bool:
        """Whether `caller` has to run in a thread."""
        return any(way.waits(credentials) for way in self._ways)

    def prove(self, credentials: Credentials, tag: str) -> None:
        """That they still prove this caller, as often as one likes. Raises Unidentified."""
        found = self._proven(credentials) or NOBODY_KNOWN
        if found.tag != tag:
            raise Unidentified("somebody else asks now, or nobody who is known", cure="sign in and ask again")

    def count_stranger(self, credentials: Credentials) -> str:
        """The address of who is not known yet. Raises Guarded if too much comes from there."""
        address = caller_address(credentials, self._proxies)
        self._pace.take(f"address {address}")
        return address

    def _proven(self, credentials: Credentials) -> Caller | None:
        found = [one for way in self._ways if (one := way.caller(credentials)) is not None]
        if len(found) > 1:
            raise Unidentified("the request proves in two ways who asks", cure="send one proof")
        if found:
            return found[0]
        if "authorization" in credentials.headers and not self._bearer_is_on:
            raise Unidentified("tokens are not taken here", cure="leave out the Authorization header")
        if not self._anonymous:
            cure = _LINK if self._by_link else "sign in, or send a token"
            raise Unidentified("who asks has to be proven here", cure=cure)
        return None

    @property
    def _by_link(self) -> bool:
        return any(isinstance(way, LocalSessions) for way in self._ways)

    @property
    def _bearer_is_on(self) -> bool:
        from bots.http.identity.bearer import BearerTokens

        return any(isinstance(way, BearerTokens) for way in self._ways)
