"""A proxy in front has signed people in, and says who they are in a header."""

from collections.abc import Sequence

from bots.http.caller import Caller, Credentials
from bots.http.identity.peers import SECRET_HEADER, TrustedPeers
from vouch.access import parse_tag
from vouch.errors import BadAccess, Unidentified

_CURE = "ask who runs the proxy in front of vouch"


class TrustedProxy:
    """Implements Identity. The header counts only from the named addresses and beside the shared secret."""

    def __init__(self, header: str, peers: Sequence[str], secret: str) -> None:
        """Raises Usage for settings that would believe everybody."""
        self._header = header.lower()
        self._peers = TrustedPeers(peers, secret)

    def caller(self, credentials: Credentials) -> Caller | None:
        headers = credentials.headers
        if self._header not in headers and SECRET_HEADER not in headers:
            return None
        if {self._header, SECRET_HEADER} & credentials.repeated:
            raise Unidentified("a header that says who asks came twice", cure=_CURE)
        if not self._peers.speaks(credentials):
            raise Unidentified("nobody but the proxy may say who asks", cure=_CURE)
        name = headers.get(self._header, "")
        return None if not name else Caller(person(name), "proxy")


def person(name: str) -> str:
    """The access tag of a person by their name alone. Raises Unidentified for what is no name."""
    if name != name.strip():
        raise Unidentified("the name of who asks has blanks around it", cure=_CURE)
    try:
        return parse_tag(f"user:{name}")
    except BadAccess as error:
        raise Unidentified("the name of who asks is no name of a person", cure=_CURE) from error
