"""Fetches a page that a stranger named: each hop is checked, and values are kept for a while."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from vouch.adapters.web.guard.exchange import Reply, exchange
from vouch.adapters.web.guard.policy import HostRules, Location, Resolve, locate, resolve
from vouch.adapters.web.guard.robots import EVERYTHING, MOST_BYTES, NOTHING, Robots, parse_robots
from vouch.errors import FetchRefused, WebDown

T = TypeVar("T")


class Expiring(Generic[T]):
    """At most `most` values, each for `seconds`. For several threads."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._turn = threading.Lock()
        self._held: OrderedDict[str, tuple[float, T]] = OrderedDict()

    def get(self, key: str) -> T | None:
        with self._turn:
            found = self._held.get(key)
            if found is None or time.monotonic() - found[0] >= self._seconds:
                return None
            return found[1]

    def put(self, key: str, value: T) -> None:
        with self._turn:
            self._held.pop(key, None)
            self._held[key] = time.monotonic(), value
            while len(self._held) > self._most:
                self._held.popitem(last=False)


AGENT = "vouch"
_MOVED = (301, 302, 303, 307, 308)
_KINDS = {"text/html": ".html", "application/xhtml+xml": ".html", "text/plain": ".txt", "application/pdf": ".pdf"}
_SITES, _SITE_S = 256, 3600.0


@dataclass(frozen=True, slots=True)
class FetchLimits:
    seconds: float = 10.0               # for a page in all, redirects and robots.txt included
    most_bytes: int = 2_000_000
    redirects: int = 3


@dataclass(frozen=True, slots=True)
class Page:
    """`url` is where it was found after redirects; `suffix` is that of files of its kind."""

    url: str
    data: bytes
    suffix: str
    encoding: str | None
    fetched_at: datetime


class Fetcher:
    """May be used by several threads. Sends no cookies and no credentials, and takes no proxy."""

    def __init__(
        self, rules: HostRules, limits: FetchLimits, clock: Callable[[], datetime], resolve: Resolve = resolve
    ) -> None:
        self._rules, self._limits, self._clock, self._resolve = rules, limits, clock, resolve
        self._robots: Expiring[Robots] = Expiring(_SITES, _SITE_S)

    def fetch(self, url: str, until: float) -> Page:
        """The page, by `until` of `time.monotonic` at the latest.

        Raises FetchRefused for what may not be fetched or is beyond a limit, WebDown if it does not come.
        """
        until = min(until, time.monotonic() + self._limits.seconds)
        location = locate(url)
        for _ in range(self._limits.redirects + 1):
            if not self._site(location, until).allows(location.target):
                raise FetchRefused("a page that robots.txt keeps from programs")
            reply = self._get(location, until, self._limits.most_bytes)
            if reply.status not in _MOVED:
                return self._page(location, reply)
            location = _moved(location, reply)
        raise FetchRefused("a page with too many redirects")

    def _get(self, location: Location, until: float, most_bytes: int) -> Reply:
        self._rules.check(location)
        addresses = self._rules.addresses_of(location, self._resolve)
        headers = {"User-Agent": AGENT, "Accept": "text/html, text/plain;q=0.8, application/pdf;q=0.8"}
        return exchange("GET", location, addresses[0], headers, until=until, most_bytes=most_bytes)

    def _page(self, location: Location, reply: Reply) -> Page:
        if reply.status != 200:
            raise WebDown(f"a page answered with status {reply.status}")
        suffix, encoding = _kind(reply.headers)
        return Page(location.url, reply.body, suffix, encoding, self._clock())

    def _site(self, location: Location, until: float) -> Robots:
        """What the site lets programs fetch: 4xx says everything, 5xx and silence nothing."""
        known = self._robots.get(location.origin)
        if known is None:
            known = self._ask_site(location, until)
            self._robots.put(location.origin, known)
        return known

    def _ask_site(self, location: Location, until: float) -> Robots:
        at = locate("/robots.txt", location)
        for _ in range(self._limits.redirects + 1):
            reply = self._get(at, until, MOST_BYTES)
            if reply.status in _MOVED:
                at = _moved(at, reply)
            elif reply.status == 200:
                return parse_robots(reply.body, AGENT)
            else:
                return EVERYTHING if 400 <= reply.status < 500 else NOTHING
        return NOTHING


def _moved(location: Location, reply: Reply) -> Location:
    """Raises FetchRefused, also for a way from https to http."""
    moved = locate(reply.headers.get("location", ""), location)
    if location.scheme == "https" and moved.scheme == "http":
        raise FetchRefused("a redirect from https to http")
    return moved


def _kind(headers: Mapping[str, str]) -> tuple[str, str | None]:
    """The suffix of files of this kind, and the encoding that was named. Raises FetchRefused."""
    kind, *parameters = (part.strip() for part in headers.get("content-type", "").split(";"))
    suffix = _KINDS.get(kind.lower())
    if suffix is None:
        raise FetchRefused("a page that is neither HTML nor text nor PDF")
    named = dict(part.lower().partition("=")[::2] for part in parameters)
    charset = named.get("charset", "").strip("\"' ")
    return suffix, charset if _is_encoding(charset) else None


def _is_encoding(name: str) -> bool:
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return True
