"""An address of a page, taken apart and written in one form, or refused before anything is looked up."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urljoin, urlsplit

from vouch.adapters.web.guard.addresses import Address, parse_address
from vouch.errors import FetchRefused

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
