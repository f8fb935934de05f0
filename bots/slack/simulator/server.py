"""The workspace behind real sockets: what bots call, and what is delivered to them."""

import json
import socket
import struct
import threading
import time
import urllib.parse
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from bots.slack.simulator import hooks
from bots.slack.simulator.deliveries import Deliveries
from bots.slack.simulator.hooks import Hooks
from bots.slack.simulator.limits import Limits
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.socket_mode import SocketMode
from bots.slack.simulator.web_api import WebApi
from bots.slack.simulator.workspace import Workspace

BOT_TOKEN, APP_TOKEN, SECRET = "xoxb-loopback", "xapp-loopback", "loopback-signing-secret"
Fault = tuple[str, float]
"""What happens to one call: 500, 429, slow, reset (before anything), lost (done, and the reply never comes), or
done500; anything with a _ is an error of Slack's, and nothing is done."""


class SlackServer:
    """`request_url` set: events go there, signed. Otherwise to whoever is connected in Socket Mode."""

    def __init__(self) -> None:
        manifest = json.loads(files("bots.slack").joinpath("manifest.json").read_text(encoding="utf-8"))
        self.workspace = Workspace()
        self.api = WebApi(self.workspace, frozenset(manifest["oauth_config"]["scopes"]["bot"]))
        self.faults: dict[str, deque[Fault]] = defaultdict(deque)
        self.limits = Limits()
        self.sockets = SocketMode()
        self.hooks = Hooks(self.workspace)
        self.deliveries = Deliveries(
            self.workspace, frozenset(manifest["settings"]["event_subscriptions"]["bot_events"]), self.sockets, SECRET,
            {command["command"] for command in manifest["features"]["slash_commands"]},
            {one["callback_id"] for one in manifest["features"]["shortcuts"] if one["type"] == "message"}, self.hooks,
        )
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.slack = self
        self.hooks.base = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.down = threading.Event()
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/api/"

    def __enter__(self) -> "SlackServer":
        self._thread.start()
        self.sockets.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nobody answers at its address any more. May be called again."""
        self.sockets.end()
        self._http.shutdown()
        self._http.server_close()

    @contextmanager
    def away(self) -> Iterator[None]:
        """In it whoever calls or connects is hung up on, and nothing is delivered."""
        self.down.set()
        self.sockets.hang_up()
        try:
            yield
        finally:
            self.sockets.listen()
            self.down.clear()

    def fault(self, method: str, kind: str, seconds: float = 0.0) -> None:
        """The next call of the method that has no other fault before it."""
        self.faults[method].append((kind, seconds))

    def answer(self, name: str, token: str, given: dict[str, Any], *, as_json: bool) -> dict[str, Any]:
        if name == "apps.connections.open":
            if token != APP_TOKEN:
                return {"ok": False, "error": "not_allowed_token_type"}
            return {"ok": True, "url": self.sockets.ticket()}
        if token != BOT_TOKEN:
            return {"ok": False, "error": "invalid_auth" if token else "not_authed"}
        return self.api.call(name, given, as_json=as_json)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    slack: SlackServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith(hooks.PATH):
            return self._answered(body)
        if self.headers.get("Content-Type", "").startswith("application/json"):
            return self._serve(json.loads(body or b"{}"), as_json=True)
        return self._serve(dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True)))

    def _answered(self, body: bytes) -> None:
        """What an app says at the address that came with an interaction. Needs no token."""
        try:
            self.server.slack.hooks.take(self.path.removeprefix(hooks.PATH), json.loads(body))
        except Refused as error:
            return self._say(404 if str(error).endswith("_url") else 400, {"ok": False, "error": str(error)})
        except (ValueError, TypeError, AttributeError, KeyError):
            return self._say(400, {"ok": False, "error": "invalid_payload"})
        return self._say(200, {"ok": True})

    def _serve(self, given: dict[str, Any], *, as_json: bool = False) -> None:
        path = urllib.parse.urlsplit(self.path)
        given = given | dict(urllib.parse.parse_qsl(path.query))
        name = path.path.removeprefix("/api/")
        queue = self.server.slack.faults[name]
        kind, seconds = queue.popleft() if queue else ("", 0.0)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if kind == "reset" or self.server.slack.down.is_set():
            return self._reset()
        if kind == "429":
            return self._say(429, {"ok": False, "error": "ratelimited"}, {"Retry-After": str(int(seconds))})
        if wait := self.server.slack.limits.wait(name, given):
            return self._say(429, {"ok": False, "error": "ratelimited"}, {"Retry-After": str(wait)})
        if "_" in kind:
            return self._say(200, {"ok": False, "error": kind})
        if kind == "500":
            return self._say(500, {"ok": False, "error": "internal_error"})
        reply = self.server.slack.answer(name, given.pop("token", "") or token, given, as_json=as_json)
        if kind == "lost":
            return self._reset()
        if kind == "done500":
            return self._say(500, {"ok": False, "error": "fatal_error"})
        time.sleep(seconds)
        return self._say(200, reply, {"X-OAuth-Scopes": ",".join(sorted(self.server.slack.api.scopes))})

    def _say(self, status: int, told: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        data = json.dumps(told).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | (headers or {})).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def finish(self) -> None:
        try:
            super().finish()
        except OSError:
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""
