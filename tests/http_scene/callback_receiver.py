"""A program that answers are sent to, over a real socket. It refuses what the docs do not allow, and fails as told."""

import base64
import contextlib
import hashlib
import hmac
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote

from http_scene.local_http import LocalHTTP, QuietHandler

SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZi1zZWNyZXQtb2Y="
SIGNED = {"webhook-id", "webhook-timestamp", "webhook-signature"}
HEADERS = SIGNED | {"host", "accept-encoding", "traceparent", "accept", "user-agent"}
POST_HEADERS = HEADERS | {"content-type", "content-length"}
Part = Callable[["Handler", Callable[[], None]], None]
"""What happens to a sound request: `keep` takes it in."""


def verified(headers: Any, body: bytes, secret: str) -> bool:
    """As the Standard Webhooks specification tells receivers to, and by nothing of vouch."""
    if "." in headers["webhook-id"] or abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        return False
    signed = b"%s.%s.%s" % (headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body)
    own = base64.b64encode(hmac.new(base64.b64decode(secret[len("whsec_"):]), signed, hashlib.sha256).digest())
    sent = (one.split(",", 1) for one in headers["webhook-signature"].split(" "))
    return any(version == "v1" and hmac.compare_digest(value.encode(), own) for version, value in sent)


def complaint(method: str, path: str, headers: Any, body: bytes) -> str:
    """What is wrong with a request; empty if nothing is."""
    names = [name.lower() for name in headers]
    if len(names) != len(set(names)) or set(names) != (POST_HEADERS if method == "POST" else HEADERS):
        return f"headers {sorted(names)}"
    if not verified(headers, body, SECRET):
        return "signature does not fit"
    question = unquote(path.rsplit("/", 1)[1])
    if method == "POST":
        sent = json.loads(body)
        if set(sent) != {"schema", "type", "question_id", "thread", "answer"} or sent["schema"] != 1:
            return "body"
        question = sent["question_id"]
        if headers["Content-Type"] != "application/json":
            return "type"
        if "id" not in sent["answer"]:
            return "no answer"
    elif body:
        return "a GET with a body"
    if unquote(headers["webhook-id"]) != question:
        return "webhook-id is of another question"
    trace = hashlib.sha256(b"trace:" + question.encode()).hexdigest()[:32]
    return "" if re.fullmatch(rf"00-{trace}-[0-9a-f]{{16}}-01", headers["Traceparent"]) else "trace"


class Handler(QuietHandler):
    protocol_version = "HTTP/1.1"
    server: "CallbackReceiver"

    def do_POST(self) -> None:  # noqa: N802
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:          # its sender is gone
            self.close_connection = True
            return
        if self._refused(body, "/answers"):
            return
        sent = json.loads(body)
        self._play(self.server.to_posts, lambda: self.server.keep(sent), lambda: self.say(200, {"kept": True}))

    def do_GET(self) -> None:  # noqa: N802
        if self._refused(b"", "/answers/"):
            return
        question = unquote(self.path.removeprefix("/answers/"))
        self.server.asked.append(question)
        known = {"question_id": question, "known": question in self.server.known()}
        self._play(self.server.to_asks, lambda: None, lambda: self.say(200, known))

    def say(self, status: int, body: Any, **headers: str) -> None:
        self.send(status, json.dumps(body).encode(), **headers)

    def reset(self) -> None:
        """The connection ends with RST: the sender loses what it has not read."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):      # after a reset
            super().finish()

    def _refused(self, body: bytes, path: str) -> bool:
        fits = self.path == path if self.command == "POST" else self.path.startswith(path)
        wrong = complaint(self.command, self.path, self.headers, body) if fits else f"no such path {self.path}"
        self.server.arrivals.append((time.monotonic(), self.command))
        if wrong:
            self.server.complaints.append(wrong)
            self.say(401 if "signature" in wrong else 400, {"error": wrong})
        return bool(wrong)

    def _play(self, parts: list[Part], keep: Callable[[], None], answer: Callable[[], None]) -> None:
        with self.server.turn:
            part = parts.pop(0) if parts else None
        if part is None:
            keep()
            answer()
        else:
            part(self, keep)


class CallbackReceiver(LocalHTTP):
    """Plays `to_posts` and `to_asks` in order, one part a request; then it does as it should.

    `posts` are what was taken in, repeats included unless it `drops_repeats`.
    """

    def __init__(self, *, drops_repeats: bool = False, port: int = 0) -> None:
        super().__init__(Handler, port)
        self.posts: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.arrivals: list[tuple[float, str]] = []
        self.complaints: list[str] = []
        self.to_posts: list[Part] = []
        self.to_asks: list[Part] = []
        self.turn = threading.Lock()
        self._drops = drops_repeats

    def keep(self, sent: dict[str, Any]) -> None:
        with self.turn:
            if not (self._drops and sent["question_id"] in self._known()):
                self.posts.append(sent)

    def known(self) -> set[str]:
        with self.turn:
            return self._known()

    def _known(self) -> set[str]:
        return {post["question_id"] for post in self.posts}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/answers"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The other end was killed, as tests do."""


def says(status: int, body: Any = None, **headers: str) -> Part:
    """That status, and nothing is taken in."""
    def part(handler: Handler, keep: Callable[[], None]) -> None:
        handler.say(status, body if body is not None else {}, **headers)

    part.told = f"says {status}"        # type: ignore[attr-defined]
    return part


def loses_reply(handler: Handler, keep: Callable[[], None]) -> None:
    keep()
    handler.reset()


def keeps_and_says(status: int) -> Part:
    def part(handler: Handler, keep: Callable[[], None]) -> None:
        keep()
        handler.say(status, {})

    part.told = f"keeps and says {status}"  # type: ignore[attr-defined]
    return part


def resets(handler: Handler, keep: Callable[[], None]) -> None:
    handler.reset()


def hangs(handler: Handler, keep: Callable[[], None]) -> None:
    handler.server.leave.wait(20)
    handler.reset()


def keeps_and_hangs(handler: Handler, keep: Callable[[], None]) -> None:
    keep()
    hangs(handler, keep)


def drips(handler: Handler, keep: Callable[[], None]) -> None:
    """A byte now and then: each in time, the whole never."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not handler.server.leave.wait(0.05):
        try:
            handler.wfile.write(b"x")
            handler.wfile.flush()
        except OSError:
            return


def cuts(handler: Handler, keep: Callable[[], None]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"question")
    handler.close_connection = True


def babbles(handler: Handler, keep: Callable[[], None]) -> None:
    handler.wfile.write(b"\x00\xff\x00 this is not HTTP\r\n\r\n")
    handler.close_connection = True


LOSSES: Sequence[Part] = (loses_reply, keeps_and_says(500), keeps_and_hangs, keeps_and_says(429))
REFUSALS: Sequence[Part] = (
    resets, says(500), says(503, Retry_After="0"), says(429, Retry_After="0"), hangs, babbles, drips,
)
