"""A proxy in front has signed people in, and says who they are in a header."""

import hmac
import ipaddress
from collections.abc import Sequence

from bots.http.caller import Caller, Credentials
from vouch.access import parse_tag
from vouch.errors import BadAccess, Unidentified, Usage

SECRET_HEADER = "x-vouch-proxy-secret"  # noqa: S105  (its name)
LEAST_SECRET = 16
_CURE = "ask who runs the proxy in front of vouch"
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class TrustedProxy:
    """Implements Identity. The header counts only from the named addresses and beside the shared secret."""

    def __init__(self, header: str, peers: Sequence[str], secret: str) -> None:
        """Raises Usage for settings that would believe everybody."""
        if not peers or len(secret) < LEAST_SECRET:
            raise Usage(f"a proxy is believed by its address and a secret of {LEAST_SECRET} characters or more",
                        cure="set VOUCH_HTTP__PROXY_PEERS and VOUCH_HTTP__PROXY_SECRET")
        self._header = header.lower()
        self._peers = [_network(one) for one in peers]
        self._secret = secret.encode()

    def caller(self, credentials: Credentials) -> Caller | None:
        headers = credentials.headers
        if self._header not in headers and SECRET_HEADER not in headers:
            return None
        if {self._header, SECRET_HEADER} & credentials.repeated:
            raise Unidentified("a header that says who asks came twice", cure=_CURE)
        given = headers.get(SECRET_HEADER, "").encode(errors="replace")
        if not self._is_peer(credentials.peer) or not hmac.compare_digest(given, self._secret):
            raise Unidentified("nobody but the proxy may say who asks", cure=_CURE)
        name = headers.get(self._header, "")
        return None if not name else Caller(person(name), "proxy")

    def _is_peer(self, peer: str) -> bool:
        try:
            address = ipaddress.ip_address(peer)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None)
        return any((mapped or address) in network for network in self._peers)


def person(name: str) -> str:
    """The access tag of a person by their name alone. Raises Unidentified for what is no name."""
    if name != name.strip():
        raise Unidentified("the name of who asks has blanks around it", cure=_CURE)
    try:
        return parse_tag(f"user:{name}")
    except BadAccess as error:
        raise Unidentified("the name of who asks is no name of a person", cure=_CURE) from error


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise Usage(f"{text!r:.60} is no address and no network", cure="fix VOUCH_HTTP__PROXY_PEERS") from error
