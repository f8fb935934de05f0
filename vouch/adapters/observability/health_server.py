"""Answers /metrics, /healthz and /readyz of a running process on a loopback port."""

import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from vouch.errors import Usage

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Monitor:
    """`metrics` gives the page; `sick` and `unready` name what is wrong, nothing if all is well."""

    def __init__(
        self,
        port: int,
        metrics: Callable[[], str],
        sick: Callable[[], Sequence[str]],
        unready: Callable[[], Sequence[str]],
    ) -> None:
        """Raises Usage for a port that cannot be had."""
        self._pages = {"/metrics": metrics, "/healthz": sick, "/readyz": unready}
        try:
            self._server = _Server(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise Usage(f"port {port} cannot be had: {error.strerror}",
                        cure="give each process a VOUCH_MONITOR__PORT of its own, or 0 for none") from error
        self._server.answer = self._answer
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.2},
                                        name="monitor", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def _answer(self, path: str) -> tuple[int, str, str]:
        """Status, type and text."""
        page = self._pages.get(path)
        if page is None:
            return 404, "application/json", json.dumps({"known": sorted(self._pages)})
        try:
            found = page()
        except Exception as error:      # whoever asks is told, and the process goes on
            return 500, "application/json", json.dumps({"error": type(error).__name__})
        if isinstance(found, str):
            return 200, METRICS_TYPE, found
        return (503 if found else 200), "application/json", json.dumps({"well": not found, "wrong": list(found)})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: Callable[[str], tuple[int, str, str]]


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10.0

    def do_GET(self) -> None:
        status, kind, text = self.server.answer(self.path.partition("?")[0])
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""
