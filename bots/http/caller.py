"""Who makes a request, once that is proven."""

from collections.abc import Mapping
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
