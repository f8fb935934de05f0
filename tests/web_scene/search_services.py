"""Brave, Serper and Tavily on loopback: as strict about address, key and body as the services are, each in its form."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

from http_scene.local_http import LocalHTTP, QuietHandler

KEY = "key-1234"


class Handler(QuietHandler):
    server: "SearchServices"

    def do_GET(self) -> None:  # noqa: N802
        parts = urlsplit(self.path)
        given = parse_qs(parts.query)
        if parts.path != "/res/v1/web/search":
            self._say(404, {})
        elif self.headers["X-Subscription-Token"] != KEY:
            self._say(422, {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}})
        elif len(given["q"][0]) > 400 or len(given["q"][0].split()) > 50 or not 1 <= int(given["count"][0]) <= 20:
            self._say(422, {"type": "ErrorResponse"})
        else:
            rows = [{"title": "A", "url": url, "description": "…"} for url in self.server.found]
            self._reply({"type": "search", "web": {"type": "search", "results": rows}}, given["q"][0])

    def do_POST(self) -> None:  # noqa: N802
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/search" or self.headers["Content-Type"] != "application/json":
            self._say(404, {})
        elif "q" in body:
            self._serper(body)
        else:
            self._tavily(body)

    def _serper(self, body: dict[str, Any]) -> None:
        if self.headers["X-API-KEY"] != KEY:
            self._say(403, {"message": "Unauthorized.", "statusCode": 403})
            return
        rows = [{"title": "A", "link": url, "position": n} for n, url in enumerate(self.server.found, 1)]
        self._reply({"searchParameters": body, "organic": rows}, body["q"])

    def _tavily(self, body: dict[str, Any]) -> None:
        if self.headers["Authorization"] != f"Bearer {KEY}":
            self._say(401, {"detail": {"error": "Unauthorized: missing or invalid API key."}})
        elif set(body) - {"query", "max_results", "search_depth"} or len(body["query"]) > 400:
            self._say(400, {})
        else:
            rows = [{"title": "A", "url": url, "content": "…", "score": 0.5} for url in self.server.found]
            self._reply({"query": body["query"], "images": [], "results": rows}, body["query"])

    def _reply(self, value: dict[str, Any], query: str) -> None:
        self.server.queries.append(query)
        if self.server.instead is not None:
            status, raw = self.server.instead
            self.send(status, raw, Location="http://127.0.0.1:9/") if status == 302 else self.send(status, raw)
        else:
            self._say(200, value)

    def _say(self, status: int, value: Any) -> None:
        self.send(status, json.dumps(value).encode())


class SearchServices(LocalHTTP):
    """`instead`: the status and body of every sound request. `queries` are those it understood."""

    def __init__(self) -> None:
        super().__init__(Handler)
        self.found: list[Any] = ["https://a.org/1", "https://b.org/2", "https://a.org/1"]
        self.instead: tuple[int, bytes] | None = None
        self.queries: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"
