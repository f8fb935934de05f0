"""An HTTP server of the tests' own, on a free port of loopback: the frame that those of each protocol share."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class QuietHandler(BaseHTTPRequestHandler):
    """Writes nothing to standard error."""

    def send(self, status: int, raw: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class LocalHTTP(ThreadingHTTPServer):
    """Serves inside `with`. `leave` is set at its end, for handlers that keep somebody waiting."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.leave = threading.Event()
        self.turn = threading.Lock()    # for what several requests at once share

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave.set()
        self.shutdown()
        self.server_close()
