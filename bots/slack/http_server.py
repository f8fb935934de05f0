"""Requests of Slack over HTTP, checked by their signature before anything is read of them."""

import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from slack_bolt import App, BoltRequest
from slack_bolt.response import BoltResponse

from vouch.errors import Usage

PATH = "/slack/events"
LARGEST = 1_000_000


class EventsServer:
    """Takes what Slack posts to PATH. Slack itself wants https, which is for whatever stands in front."""

    def __init__(self, app: App, host: str, port: int) -> None:
        """Raises Usage for a port that is not available."""
        try:
            self._server = _Server((host, port), _Handler)
        except OSError as error:
            raise Usage(f"port {port} is not available: {error.strerror}", cure="set VOUCH_SLACK__PORT") from error
        self._server.app = app
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.2},
                                        name="slack events", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def connect(self) -> None:
        self._thread.start()

    def close(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    app: App


_DIGITS = 9                              # of a length; leading zeros would hide a long one


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10.0

    def do_POST(self) -> None:
        length, headers = self.headers.get("Content-Length", ""), self._headers()
        if urlsplit(self.path).path != PATH:
            return self._say(404)
        if not (length.isascii() and length.isdigit()) or len(length) > _DIGITS or int(length) > LARGEST:
            return self._say(413)
        moment = self.headers.get("X-Slack-Request-Timestamp", "")
        if not (moment.isascii() and moment.isdigit() and len(moment) <= 12):
            return self._say(401)               # the library's check takes only numbers
        try:
            body = self.rfile.read(int(length)).decode()
        except UnicodeDecodeError:
            return self._say(401)               # no signature of Slack is over such a text
        told: BoltResponse = self.server.app.dispatch(BoltRequest(body=body, headers=headers))
        return self._say(told.status, told.body or "", told.first_headers().get("content-type", "text/plain"))

    def _headers(self) -> dict[str, str | Sequence[str]]:
        return {name.lower(): [value] for name, value in self.headers.items()}

    def _say(self, status: int, text: str = "", kind: str = "text/plain") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if status != 200:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""
