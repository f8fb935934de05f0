"""A loopback server that speaks chat completions and refuses what the real one would. It plays one part per request."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from local_http import LocalHTTP, QuietHandler

KEY = "sk-test"
FIELDS = {"model", "messages", "temperature", "max_tokens", "response_format"}
Part = Callable[["Handler", dict[str, Any]], None]


def complaint(headers: Any, body: Any) -> tuple[int, str] | None:
    """Status and cause for a request that the original would refuse."""
    if headers.get("Authorization") != f"Bearer {KEY}":
        return 401, "incorrect API key"
    if headers.get("Content-Type") != "application/json" or not isinstance(body, dict):
        return 400, "not JSON"
    if unknown := body.keys() - FIELDS:
        return 400, f"unrecognized arguments: {sorted(unknown)}"
    if body.get("model") != "big-one" or not isinstance(body.get("max_tokens"), int):
        return 404, "no such model"
    messages = body.get("messages")
    if not messages or any(set(m) != {"role", "content"} or not isinstance(m["content"], str) for m in messages):
        return 400, "messages"
    if [m["role"] for m in messages] != ["system", "user"] or not 0 <= body.get("temperature", 1) <= 2:
        return 400, "roles or temperature"
    if "response_format" in body and (wrong := wrong_format(body["response_format"])):
        return 400, f"response_format: {wrong}"
    return None


def wrong_format(form: dict[str, Any]) -> str:
    """Strict schemas need every property required and no others, at every level."""
    if form.keys() != {"type", "json_schema"} or form["type"] != "json_schema":
        return "type"
    if form["json_schema"].keys() != {"name", "strict", "schema"} or form["json_schema"]["strict"] is not True:
        return "json_schema"
    queue = [form["json_schema"]["schema"]]
    while queue:
        schema = queue.pop()
        if schema["type"] == "object":
            if schema.get("additionalProperties") is not False or set(schema["required"]) != set(schema["properties"]):
                return "additionalProperties or required"
            queue += schema["properties"].values()
        elif schema["type"] == "array":
            queue.append(schema["items"])
    return ""


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
        if wrong := complaint(self.headers, body):
            return self.fail(*wrong)
        parts = self.server.parts
        return (parts.pop(0) if len(parts) > 1 else parts[0])(self, body)

    def say(self, status: int, body: dict[str, Any], **headers: str) -> None:
        self.send(status, json.dumps(body).encode(), **headers)

    def fail(self, status: int, cause: str, **headers: str) -> None:
        self.say(status, {"error": {"message": cause, "type": "invalid_request_error", "code": None}}, **headers)


class ChatServer(LocalHTTP):
    """Plays `parts` in order, the last one again and again."""

    def __init__(self, parts: Sequence[Part], port: int = 0) -> None:
        super().__init__(Handler, port)
        self.parts = list(parts)
        self.requests: list[dict[str, Any]] = []
        self.raw: list[tuple[str, bytes]] = []          # headers and body of each, as they came

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


def says(content: str | None) -> Part:
    def part(handler: Handler, body: dict[str, Any]) -> None:
        handler.say(200, {
            "id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": 321, "completion_tokens": 12, "total_tokens": 333},
        })

    return part


def replies(*sentences: tuple[str, Sequence[tuple[int, str]]], reason: str = "") -> Part:
    return says(json.dumps({
        "sentences": [
            {"text": text, "citations": [{"passage": n, "quote": quote} for n, quote in cited]}
            for text, cited in sentences
        ],
        "reason": reason,
    }))


def fails(status: int, **headers: str) -> Part:
    return lambda handler, body: handler.fail(status, "not now", **headers)


def refuses_formats(inner: Part) -> Part:
    def part(handler: Handler, body: dict[str, Any]) -> None:
        if "response_format" in body:
            return handler.fail(400, "response_format is not supported")
        return inner(handler, body)

    return part


def hangs(handler: Handler, body: dict[str, Any]) -> None:
    handler.server.leave.wait(5)


def cuts(handler: Handler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"id": "c1", "obj')
    handler.close_connection = True
