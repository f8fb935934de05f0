"""What may be fetched: hosts, ports and network addresses. Every hop of every fetch is asked here."""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vouch.adapters.web.guard.addresses import closed, parse_address
from vouch.adapters.web.guard.location import PORTS, Location
from vouch.errors import FetchRefused, WebDown

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
