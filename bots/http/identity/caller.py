"""Who makes a request once that is proven, and what can prove it: headers and cookies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from vouch.access import PUBLIC

Way = Literal["none", "local", "oidc", "bearer", "proxy"]


@dataclass(frozen=True, slots=True)
class Caller:
    """`session` names a session of a browser, where there is one; `acts_for`: readers that a program may ask for;
    `address`: of somebody who is not known."""

    tag: str
    way: Way
    session: str = ""
    acts_for: frozenset[str] = frozenset()
    address: str = ""

    @property
    def counted_as(self) -> str:
        """Whose share of what all have together is used up."""
        return f"address {self.address}" if self.address else self.tag


NOBODY_KNOWN = Caller(PUBLIC, "none")


@dataclass(frozen=True, slots=True)
class Credentials:
    """What of a request can prove who makes it. `headers` have small names; one that came twice is in `repeated`."""

    peer: str
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    repeated: frozenset[str] = frozenset()


class Identity(Protocol):
    """One way to prove who asks."""

    def caller(self, credentials: Credentials) -> Caller | None:
        """None if the request does not even try this way. Raises Unidentified if it tries and fails."""
        ...

    def waits(self, credentials: Credentials) -> bool:
        """Whether `caller` may wait for a file, the ledger or another machine, so that it has to run in a thread."""
        ...


_HOST = "__Host-"


def cookie_name(name: str, *, secure: bool) -> str:
    """Where cookies travel by https alone, under a name that browsers take from this very host alone, and by https:
    no other host of its domain can plant one."""
    return f"{_HOST}{name}" if secure else name


def cookie_names(name: str) -> tuple[str, str]:
    """All that it may be called, whatever was set before."""
    return name, f"{_HOST}{name}"


def cookies_of(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By name, from headers whose names are in small letters.

    Around names and values blanks and tabs are left out and nothing else, as browsers do it (RFC 6265bis, 5.6). To
    leave out more would let another host plant a cookie whose name becomes one of ours here alone.
    """
    pairs = (pair.partition("=") for name, value in headers if name == "cookie" for pair in value.split(";"))
    return {name.strip(" \t"): value.strip(" \t") for name, sign, value in pairs if sign}
