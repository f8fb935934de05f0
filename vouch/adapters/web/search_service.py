"""Search services: how each is asked over HTTP, and where its reply holds the addresses."""

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

from vouch.adapters.web.guard.exchange import Reply, exchange
from vouch.adapters.web.guard.policy import PORTS, Location
from vouch.errors import FetchRefused, Usage, WebDown

Asked = tuple[str, str, dict[str, str], bytes]
"""Method, path with its query, headers, body."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """`path` is where the reply has its list of results, `link` the name of an address in one of them."""

    home: str                           # empty: every installation has its own
    ask: Callable[[str, int, str], Asked]
    path: tuple[str, ...]
    link: str = "url"
    most_characters: int = 400          # of a query


def _searxng(query: str, top: int, key: str) -> Asked:
    return "GET", f"/search?{urlencode({'q': query, 'format': 'json'})}", {}, b""


def _brave(query: str, top: int, key: str) -> Asked:
    given = urlencode({"q": query, "count": min(top, 20), "result_filter": "web"})
    return "GET", f"/res/v1/web/search?{given}", {"X-Subscription-Token": key}, b""


def _serper(query: str, top: int, key: str) -> Asked:
    return "POST", "/search", {"X-API-KEY": key, **_JSON}, json.dumps({"q": query, "num": top}).encode()


def _tavily(query: str, top: int, key: str) -> Asked:
    given = {"query": query, "max_results": min(top, 20), "search_depth": "basic"}
    return "POST", "/search", {"Authorization": f"Bearer {key}", **_JSON}, json.dumps(given).encode()


_JSON = {"Content-Type": "application/json"}
DIALECTS: Mapping[str, Dialect] = {
    "searxng": Dialect("", _searxng, ("results",)),
    "brave": Dialect("https://api.search.brave.com", _brave, ("web", "results")),
    "serper": Dialect("https://google.serper.dev", _serper, ("organic",), link="link"),
    "tavily": Dialect("https://api.tavily.com", _tavily, ("results",)),
}


_FAILURES = {"error", "errors", "detail"}
"""What replies hold in place of results: of SearXNG, Serper and Tavily. Brave's are of the type ErrorResponse."""


def listed(dialect: Dialect, body: bytes) -> list[dict[str, Any]]:
    """The results of a reply. Raises ValueError if that is not what it holds; a missing list is an empty one.

    A reply that tells of a failure in place of results is none, though its status says that all is well.
    """
    value = json.loads(body)
    if not isinstance(value, dict):
        raise ValueError("no object")
    if value.keys() & _FAILURES or value.get("type") == "ErrorResponse":
        raise ValueError("it tells of an error")
    if not value.get("results") and value.get("unresponsive_engines"):
        raise ValueError("none of the engines that it asks has replied")
    for name in dialect.path:
        value = value.get(name) if isinstance(value, dict) else value
        if value is None:
            return []
    if not isinstance(value, list):
        raise ValueError("no list")
    return [result for result in value if isinstance(result, dict)]


_MOST_BYTES = 2_000_000


class SearchService:
    """Implements ports.SearchEngine. Its address is the operator's choice, so it may lie in the own network.

    Redirects are not followed, so the key goes nowhere else. Neither query nor key is in an error.
    """

    def __init__(self, engine: str, url: str, key: str) -> None:
        """`url` is empty where the service has one home. Raises Usage for settings that do not fit."""
        self._name, self._dialect, self._key = engine, DIALECTS[engine], key
        home = url or self._dialect.home
        if not home:
            raise Usage(f"the address of {engine} is not set", cure="set VOUCH_WEB__URL")
        if engine != "searxng" and not key:
            raise Usage(f"{engine} is not asked without a key", cure="set VOUCH_WEB__API_KEY")
        if not (key.isascii() and key.isprintable()):
            raise Usage(f"the key for {engine} holds characters that no key has", cure="fix VOUCH_WEB__API_KEY")
        parts = urlsplit(home)
        self._scheme: Literal["http", "https"] = "https" if parts.scheme == "https" else "http"
        self._host, self._port = parts.hostname or "", parts.port or PORTS[self._scheme]
        self._path = parts.path.rstrip("/")

    def addresses(self, query: str, top: int, until: float) -> Sequence[str]:
        method, target, headers, body = self._dialect.ask(query[: self._dialect.most_characters], top, self._key)
        location = Location(self._scheme, self._host, self._port, self._path + target)
        request_headers = {"User-Agent": "vouch", "Accept": "application/json", **headers}
        try:
            reply = exchange(
                method, location, self._address(), request_headers, body, until=until, most_bytes=_MOST_BYTES
            )
            self._check(reply)
            rows = listed(self._dialect, reply.body)
        except (ValueError, RecursionError) as error:
            raise self._down("its reply cannot be understood") from error
        except FetchRefused as error:
            raise self._down("its reply is too large") from error
        except WebDown as error:
            if error.cause.startswith("search service"):
                raise
            raise self._down(error.cause) from error
        links = [row.get(self._dialect.link) for row in rows]
        return list(dict.fromkeys(url for url in links if isinstance(url, str)))[:top]

    def _address(self) -> str:
        try:
            return str(socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)[0][4][0])
        except (OSError, UnicodeError) as error:
            raise self._down("its name cannot be looked up") from error

    def _check(self, reply: Reply) -> None:
        if reply.status == 200:
            return
        if reply.status in (401, 403):
            hint = "json must be among search.formats of its settings" if self._name == "searxng" else ""
            raise self._down(f"it refused with status {reply.status}", hint or "check VOUCH_WEB__API_KEY")
        raise self._down(f"it answered with status {reply.status}")

    def _down(self, what: str, cure: str = "check VOUCH_WEB__ENGINE, __URL and __API_KEY") -> WebDown:
        return WebDown(f"search service {self._name}: {what}", cure=cure)
