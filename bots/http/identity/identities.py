"""All ways that are on, and what happens to a request that uses none."""

from collections.abc import Sequence

from bots.http.caller import NOBODY_KNOWN, Caller, Credentials, Identity
from vouch.errors import Unidentified


class Identities:
    """Implements Identity. A request that tries two ways is refused: it would be one person or another by chance."""

    def __init__(self, ways: Sequence[Identity], *, anonymous: bool) -> None:
        """With `anonymous`, who proves nothing reads what is public; else they are refused."""
        self._ways = tuple(ways)
        self._anonymous = anonymous

    def caller(self, credentials: Credentials) -> Caller:
        found = [one for way in self._ways if (one := way.caller(credentials)) is not None]
        if len(found) > 1:
            raise Unidentified("the request proves in two ways who asks", cure="send one proof")
        if found:
            return found[0]
        if "authorization" in credentials.headers and not self._bearer_is_on:
            raise Unidentified("tokens are not taken here", cure="leave out the Authorization header")
        if not self._anonymous:
            raise Unidentified("who asks has to be proven here", cure="sign in, or send a token")
        return NOBODY_KNOWN

    @property
    def _bearer_is_on(self) -> bool:
        from bots.http.identity.bearer import BearerTokens

        return any(isinstance(way, BearerTokens) for way in self._ways)
