"""Search services: how each is asked, and where its reply holds the addresses."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

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


def listed(dialect: Dialect, body: bytes) -> list[dict[str, Any]]:
    """The results of a reply. Raises ValueError if that is not what it holds; a missing list is an empty one."""
    value = json.loads(body)
    if not isinstance(value, dict):
        raise ValueError("no object")
    for name in dialect.path:
        value = value.get(name) if isinstance(value, dict) else value
        if value is None:
            return []
    if not isinstance(value, list):
        raise ValueError("no list")
    return [one for one in value if isinstance(one, dict)]
