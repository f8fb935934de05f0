"""Proxies in front: known by their address and a secret, they say who signed in and where a request comes from."""

import hmac
import ipaddress
from collections.abc import Sequence

from bots.http.identity.caller import Caller, Credentials
from vouch.access import parse_tag
from vouch.errors import BadAccess, Unidentified, Usage

SECRET_HEADER = "x-vouch-proxy-secret"  # noqa: S105  (its name)
FORWARDED = "x-forwarded-for"
LEAST_SECRET = 16
_HOME = 64                              # leading bits of an IPv6 address that are of one household
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class TrustedPeers:
    """The proxies in front: what they say counts only from the named addresses and beside the shared secret."""

    def __init__(self, peers: Sequence[str], secret: str) -> None:
        """Raises Usage for settings that would believe everybody."""
        if not peers or len(secret) < LEAST_SECRET:
            raise Usage(f"a proxy is believed by its address and a secret of {LEAST_SECRET} characters or more",
                        cure="set VOUCH_HTTP__PROXY_PEERS and VOUCH_HTTP__PROXY_SECRET")
        self._peers = [_network(one) for one in peers]
        self._secret = secret.encode()

    def speaks(self, credentials: Credentials) -> bool:
        """Whether one of them makes the request."""
        given = credentials.headers.get(SECRET_HEADER, "").encode(errors="replace")
        address = _address(credentials.peer)
        return SECRET_HEADER not in credentials.repeated and hmac.compare_digest(given, self._secret) and (
            address is not None and any(address in network for network in self._peers))


def caller_address(credentials: Credentials, proxies: TrustedPeers | None) -> str:
    """Where a request comes from, as far as it can be believed: what the last proxy saw, or who is connected to us."""
    seen = None
    if proxies is not None and FORWARDED not in credentials.repeated and proxies.speaks(credentials):
        seen = _address(credentials.headers.get(FORWARDED, "").rpartition(",")[2].strip())
    return _household(seen or _address(credentials.peer))


def network_of(peer: str) -> str:
    """Whose a connection is, as far as that can be told of a place on the network."""
    return _household(_address(peer))


def _household(address: Address | None) -> str:
    """Of an IPv6 address the network of its household, which has as many addresses as it likes."""
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, _HOME), strict=False))
    return str(address) if address else "unknown"


def _address(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise Usage(f"{text!r:.60} is no address and no network", cure="fix VOUCH_HTTP__PROXY_PEERS") from error


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

    def waits(self, credentials: Credentials) -> bool:
        return False


def person(name: str) -> str:
    """The access tag of a person by their name alone. Raises Unidentified for what is no name."""
    if name != name.strip():
        raise Unidentified("the name of who asks has blanks around it", cure=_CURE)
    try:
        return parse_tag(f"user:{name}")
    except BadAccess as error:
        raise Unidentified("the name of who asks is no name of a person", cure=_CURE) from error
