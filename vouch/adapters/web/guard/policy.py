"""What may be fetched: addresses of pages in one form, hosts, ports, the public internet alone."""

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal
from urllib.parse import quote, urljoin, urlsplit

from vouch.errors import FetchRefused, WebDown

Address = IPv4Address | IPv6Address

# `is_global` alone is not enough: it passes relays, translators and one provider's host service.
_CLOSED_V4 = {
    ip_network(network): reason
    for network, reason in (
        ("0.0.0.0/8", "this host"), ("10.0.0.0/8", "private"), ("100.64.0.0/10", "shared by a carrier"),
        ("127.0.0.0/8", "loopback"), ("168.63.129.16/32", "a host service"), ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"), ("192.0.0.0/24", "reserved"), ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "reserved"), ("192.52.193.0/24", "reserved"), ("192.88.99.0/24", "a relay"),
        ("192.168.0.0/16", "private"), ("192.175.48.0/24", "reserved"), ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"), ("203.0.113.0/24", "documentation"), ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
}
# Everything else of IPv6 is closed: loopback, unique local, link-local, site-local, multicast, and every form that
# holds an IPv4 address and is taken to it by a translator (mapped, compatible, NAT64).
_OPEN_V6 = ip_network("2000::/3")
_CLOSED_V6 = {
    ip_network(network): reason
    for network, reason in (
        ("2001::/23", "reserved, or a tunnel"), ("2001:db8::/32", "documentation"), ("2002::/16", "a tunnel (6to4)"),
        ("2620:4f:8000::/48", "reserved"), ("3fff::/20", "documentation"),
    )
}
_ISATAP = (0x00005EFE, 0x02005EFE)      # the upper half of an interface id whose lower half is an IPv4 address


def parse_address(text: str) -> Address | None:
    """None for what is no address in its usual form, or names a network interface besides."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def closed(address: Address) -> str:
    """Why nothing may be fetched from `address`; empty if something may."""
    if isinstance(address, IPv4Address):
        reason = next((why for network, why in _CLOSED_V4.items() if address in network), "")
    elif address not in _OPEN_V6:
        reason = "no public address of IPv6"
    elif (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        reason = "a tunnel (ISATAP)"
    else:
        reason = next((why for network, why in _CLOSED_V6.items() if address in network), "")
    return reason or ("" if address.is_global else "not public")


LONGEST = 2000                          # characters of an address
PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_INTERNAL = frozenset({                 # names that mean something inside a network only, or nowhere
    *("localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "arpa"),
    *("onion", "test", "example", "invalid", "alt"),
})


@dataclass(frozen=True, slots=True)
class Location:
    """`host` is in lower case, without brackets or a full stop at its end; `address` is set if it is a number."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    target: str                         # path and query, as they are sent
    address: Address | None = None

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == PORTS[self.scheme] else f":{self.port}")

    @property
    def url(self) -> str:
        return f"{self.origin}{self.target}"


def locate(url: str, base: Location | None = None) -> Location:
    """Where `url` points, seen from `base`. Raises FetchRefused unless it is a plain web address of a public name."""
    if len(url) > LONGEST or not url.isprintable() or "\\" in url or any(map(str.isspace, url)):
        raise FetchRefused("an address that is too long, or holds blanks or control characters")
    try:
        parts = urlsplit(urljoin(base.url, url) if base else url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise FetchRefused("an address that cannot be understood") from error
    if parts.scheme not in ("http", "https"):
        raise FetchRefused("an address that is neither http nor https")
    if parts.username is not None or parts.password is not None:
        raise FetchRefused("an address with a user or password in it")
    host, address = _host(host)
    target = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    if parts.query:
        target += "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
    scheme: Literal["http", "https"] = "https" if parts.scheme == "https" else "http"
    return Location(scheme, host, PORTS[scheme] if port is None else port, target, address)


def _host(host: str) -> tuple[str, Address | None]:
    """The host in one form. A number is an address in its usual form only: `127.1` and `0x7f.1` are refused."""
    host = host.lower().removesuffix(".")
    if (address := parse_address(host)) is not None:
        return str(address), address
    labels = host.split(".")
    if not host.isascii() or len(host) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise FetchRefused("an address whose host is no plain name")
    if _NUMBER.fullmatch(labels[-1]):
        raise FetchRefused("an address whose host is a number in an unusual form")
    if len(labels) < 2 or labels[-1] in _INTERNAL:
        raise FetchRefused("an address whose host is a name of an internal network")
    return host, None


Resolve = Callable[[str, int], Sequence[str]]
"""The network addresses of a name, as text."""


@dataclass(frozen=True, slots=True)
class HostRules:
    """`allowed`: if any are named, these and what is below them; `blocked` wins over it."""

    allowed: frozenset[str] = frozenset()
    blocked: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset(PORTS.values())
    test_loopback: tuple[str, int] | None = None    # for tests: one address and port of this machine

    def check(self, location: Location) -> None:
        """Raises FetchRefused. Tells nothing of addresses that a name may have: `addresses_of` does."""
        if location.port not in self.ports and not self._for_tests(location.host, location.port):
            raise FetchRefused("an address with a port that is not allowed")
        names = {location.host, *_above(location.host)}
        if self.blocked & names:
            raise FetchRefused("a host that is blocked")
        if self.allowed and not self.allowed & names:
            raise FetchRefused("a host that is not on the list of allowed ones")

    def addresses_of(self, location: Location, resolve: Resolve) -> list[str]:
        """The addresses to connect to, looked up once. Raises FetchRefused if any is closed, WebDown for none."""
        found = [location.host] if location.address else list(resolve(location.host, location.port))
        if not found:
            raise WebDown("a host that has no address")
        for text in found:
            address = parse_address(text)
            reason = "unknown" if address is None else closed(address)
            if reason and not self._for_tests(text, location.port):
                raise FetchRefused(f"a host whose network address is closed ({reason})")
        return found

    def _for_tests(self, host: str, port: int) -> bool:
        return self.test_loopback == (host, port)


def _above(host: str) -> list[str]:
    labels = host.split(".")
    return [".".join(labels[n:]) for n in range(1, len(labels))]


def resolve(host: str, port: int) -> list[str]:
    """By the system. The full stop at the end keeps names of the machine's own network from being tried."""
    try:
        found = socket.getaddrinfo(f"{host}.", port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise WebDown("a host whose name cannot be looked up") from error
    return list(dict.fromkeys(str(row[4][0]) for row in found))
