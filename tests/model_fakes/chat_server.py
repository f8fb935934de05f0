"""A loopback server that speaks chat completions and refuses what the real one would. It plays one part per request."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from http_scene.local_http import LocalHTTP, QuietHandler

from model_fakes.chat_dialects import KEY, Check, everywhere, openai_chat

__all__ = ["KEY", "ChatServer", "Handler", "Part", "cuts", "fails", "hangs", "replies", "says", "trickles"]
Part = Callable[["Handler", dict[str, Any]], None]


class Handler(QuietHandler):
    protocol_version = "HTTP/1.1"
    server: "ChatServer"

    def do_POST(self) -> None:  # noqa: N802
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(raw)
        self.server.requests.append(body)
        self.server.raw.append((str(self.headers), raw))
        if self.path != "/v1/chat/completions":
            return self.fail(404, f"no such path {self.path}")
        if wrong := everywhere(self.headers, body) or self.server.check(body):
            return self.say(wrong.status, wrong.body)
        with self.server.turn:
            parts = self.server.parts
            part = parts.pop(0) if len(parts) > 1 else parts[0]
        return part(self, body)

    def say(self, status: int, body: dict[str, Any], **headers: str) -> None:
        self.send(status, json.dumps(body).encode(), **headers)

    def fail(self, status: int, cause: str, **headers: str) -> None:
        self.say(status, {"error": {"message": cause, "type": "invalid_request_error", "code": None}}, **headers)


class ChatServer(LocalHTTP):
    """Plays `parts` in order, the last one again and again, for requests that `check` lets pass."""

    def __init__(self, parts: Sequence[Part], port: int = 0, check: Check = openai_chat) -> None:
        super().__init__(Handler, port)
        self.parts, self.check = list(parts), check
        self.requests: list[dict[str, Any]] = []
        self.raw: list[tuple[str, bytes]] = []          # headers and body of each, as they came

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def sent(self, *fields: str) -> list[tuple[Any, ...]]:
        """These fields of each request."""
        return [tuple(body.get(field) for field in fields) for body in self.requests]


def says(content: str | None, *, ended: str = "stop", thought_tokens: int = 0, **message: Any) -> Part:
    """`message`: more fields of the message, as `refusal` or `reasoning_content`."""
    usage: dict[str, Any] = {"prompt_tokens": 321, "completion_tokens": 12, "total_tokens": 333}
    if thought_tokens:
        usage["completion_tokens_details"] = {"reasoning_tokens": thought_tokens}

    def part(handler: Handler, body: dict[str, Any]) -> None:
        handler.say(200, {
            "id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "finish_reason": ended,
                         "message": {"role": "assistant", "content": content, **message}}],
            "usage": usage,
        })

    return part


def reply_text(*sentences: tuple[str, Sequence[tuple[int, str]]], reason: str = "", verdict: str = "") -> str:
    """`verdict` left out: a model that was not told of one, or forgot it."""
    return json.dumps({
        **({"verdict": verdict} if verdict else {}),
        "sentences": [
            {"text": text, "citations": [{"passage": n, "quote": quote} for n, quote in cited]}
            for text, cited in sentences
        ],
        "reason": reason,
    })


def replies(*sentences: tuple[str, Sequence[tuple[int, str]]], reason: str = "", verdict: str = "") -> Part:
    return says(reply_text(*sentences, reason=reason, verdict=verdict))


def fails(status: int, **headers: str) -> Part:
    return lambda handler, body: handler.fail(status, "not now", **headers)


def hangs(handler: Handler, body: dict[str, Any]) -> None:
    handler.server.leave.wait(5)


def cuts(handler: Handler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"id": "c1", "obj')
    handler.close_connection = True


def trickles(handler: Handler, body: dict[str, Any]) -> None:
    """A byte now and then, each within any time for one."""
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    for _ in range(100):
        if handler.server.leave.wait(0.1):
            return
        try:
            handler.wfile.write(b" ")
        except OSError:
            return
