"""Answers /metrics, /healthz and /readyz of a process; probes of servers and of the disk."""

import json
import shutil
import socket
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vouch.errors import ModelDown, Unavailable, Usage

JSON = "application/json"


class HealthServer:
    """`metrics` gives a page and its type; `sick` and `unready` name what is wrong, nothing if all is well."""

    def __init__(
        self,
        port: int,
        metrics: Callable[[], tuple[str, str]],
        sick: Callable[[], Sequence[str]],
        unready: Callable[[], Sequence[str]],
    ) -> None:
        """Raises Usage for a port that is not available."""
        self._metrics = metrics
        self._health = {"/healthz": sick, "/readyz": unready}
        try:
            self._server = _Server(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise Usage(f"port {port} is not available: {error.strerror}",
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
        try:
            if path == "/metrics":
                return 200, *self._metrics()
            if path in self._health:
                wrong = list(self._health[path]())
                return (503 if wrong else 200), JSON, json.dumps({"well": not wrong, "wrong": wrong})
        except Exception as error:      # whoever asks is told, and the process goes on
            return 500, JSON, json.dumps({"error": type(error).__name__})
        return 404, JSON, json.dumps({"known": sorted(["/metrics", *self._health])})


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


_PORTS = {"https": 443, "http": 80}


def reach(url: str, timeout_s: float = 3.0) -> str:
    """Connects to the model server at `url` and sends nothing. Raises ModelDown."""
    address = urlsplit(url)
    host = address.hostname or ""
    try:
        socket.create_connection((host, address.port or _PORTS.get(address.scheme, 80)), timeout_s).close()
    except (OSError, ValueError) as error:
        raise ModelDown(f"model server {host}: {type(error).__name__}", cure="check that it runs") from error
    return f"{host} accepts connections"


ENOUGH_BYTES = 500_000_000


def probe_disk(home: Path) -> str:
    """The free space on the disk of `home`. Raises Unavailable where it is too little to go on with."""
    try:
        free = shutil.disk_usage(home).free
    except OSError as error:
        raise Unavailable(f"{home}: {error.strerror}", cure="bring it back") from error
    if free < ENOUGH_BYTES:
        raise Unavailable(f"{home} has {free // 1_000_000} MB left", cure="free some disk space")
    return f"{free // 1_000_000_000} GB free"
