"""A search service and a web on loopback: the service speaks SearXNG's JSON, the pages are what a test puts there."""

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from http_scene.local_http import LocalHTTP, QuietHandler

Play = Callable[["WebHandler"], None]


@dataclass
class Served:
    """A page; `play`, where given, answers instead."""

    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    play: Play | None = None


class WebHandler(QuietHandler):
    server: "LoopbackWeb"

    def do_GET(self) -> None:  # noqa: N802
        parts = urlsplit(self.path)
        self.server.asked.append(self.path)
        self.server.seen.append((str(self.headers["Host"]), dict(self.headers.items())))
        if parts.path == "/search":
            self._search(parse_qs(parts.query, keep_blank_values=True))
            return
        page = self.server.pages.get(self.path)
        if page is None:
            self.send(404, b"no such page", "text/plain")
        elif page.play is not None:
            page.play(self)
        else:
            self.send(page.status, page.body, page.kind, **page.headers)

    def _search(self, given: dict[str, list[str]]) -> None:
        """As strict as the original: another format than JSON is refused, and so is an empty query."""
        if given.get("format") != ["json"] or not given.get("q", [""])[0].strip():
            self.send(403 if given.get("format") != ["json"] else 400, b"{}")
            return
        query = given["q"][0]
        self.server.queries.append(query)
        rows = [{"url": url, "title": "a title", "content": "a snippet"} for url in self.server.results(query)]
        self.send(200, json.dumps({"query": query, "number_of_results": 0, "results": rows}).encode())


class LoopbackWeb(LocalHTTP):
    """`pages` by path, `results` by query. `asked` are all paths, `queries` what the service was sent."""

    def __init__(self) -> None:
        super().__init__(WebHandler)
        self.pages: dict[str, Served] = {}
        self.results: Callable[[str], Sequence[str]] = lambda query: [self.at(path) for path in self.pages]
        self.asked: list[str] = []
        self.queries: list[str] = []
        self.seen: list[tuple[str, dict[str, str]]] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def at(self, path: str) -> str:
        return f"{self.url}{path}"

    def page(self, path: str, html: str, **values: Any) -> str:
        self.pages[path] = Served(html.encode(), **values)
        return self.at(path)

    def moved(self, path: str, to: str, status: int = 302) -> str:
        self.pages[path] = Served(status=status, headers={"Location": to})
        return self.at(path)

    def zipped(self, path: str, body: bytes) -> str:
        self.pages[path] = Served(gzip.compress(body), headers={"Content_Encoding": "gzip"})
        return self.at(path)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients go away in the midst of what hostile pages send."""
