"""A collector that takes spans over a real socket, is strict about their form, and fails as told."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from http_scene.local_http import LocalHTTP, QuietHandler
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

PROTOBUF = "application/x-protobuf"
NOTES = {"question", "surface", "outcome"}
NAMES = {
    "question", "ask", "log", "answer", "record", "reply", "check", "look", "post", "announce",
    "retrieve", "fuse", "expand", "rerank", "evaluate", "refine", "pack", "write", "verify",
}  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """A span as it arrived, ids in hexadecimal digits."""

    service: str
    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    notes: dict[str, Any]
    error: str


class Handler(QuietHandler):
    server: "TraceReceiver"

    def do_POST(self) -> None:  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.arrived += 1
        if self.server.behaves == "silent":
            self.server.leave.wait(30)
            return
        if isinstance(self.server.behaves, int):
            self.send(self.server.behaves, b"", PROTOBUF)
            return
        wrong = "" if self.path == "/v1/traces" else f"path {self.path}"
        if self.headers["Content-Type"] != PROTOBUF:
            wrong = f"type {self.headers['Content-Type']}"
        wrong = wrong or self.server.take(body)
        if wrong:
            self.server.complaints.append(wrong)
        self.send(400 if wrong else 200, b"" if wrong else ExportTraceServiceResponse().SerializeToString(), PROTOBUF)


class TraceReceiver(LocalHTTP):
    """`behaves`: "well", "silent", or the status that it says to everything."""

    def __init__(self, behaves: str | int = "well") -> None:
        super().__init__(Handler)
        self.behaves = behaves
        self.spans: list[Seen] = []
        self.complaints: list[str] = []
        self.arrived = 0
        self.turn = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1/traces"

    def take(self, body: bytes) -> str:
        """Keeps all spans of a sound request, or says what is wrong with it."""
        request = ExportTraceServiceRequest()
        try:
            request.ParseFromString(body)
            found = list(_spans(request))
        except (DecodeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"
        with self.turn:
            known = {(one.trace, one.id) for one in self.spans}
            self.spans.extend(found)
        twice = known.intersection((one.trace, one.id) for one in found)
        return f"again: {twice}" if twice else ""

    def of(self, trace: str) -> list[Seen]:
        with self.turn:
            return sorted((one for one in self.spans if one.trace == trace), key=lambda one: one.start)


def _spans(request: ExportTraceServiceRequest) -> Iterator[Seen]:
    _demand(len(UnknownFieldSet(request)) == 0 and len(request.resource_spans) > 0, "fields of the request")
    for resource in request.resource_spans:
        about = _values(resource.resource.attributes)
        _demand(set(about) == {"service.name", "service.version"}, f"resource {about}")
        for scope in resource.scope_spans:
            _demand(scope.scope.name == "vouch", f"scope {scope.scope.name}")
            for span in scope.spans:
                yield _sound(span, about["service.name"])


def _sound(span: Any, service: str) -> Seen:
    notes = _values(span.attributes)
    _demand(len(UnknownFieldSet(span)) == 0, "fields of a span")
    _demand(len(span.trace_id) == 16 and any(span.trace_id), "trace id")
    _demand(len(span.span_id) == 8 and any(span.span_id), "span id")
    _demand(len(span.parent_span_id) in (0, 8), "parent")
    _demand(0 < span.start_time_unix_nano <= span.end_time_unix_nano, "times")
    _demand(span.name in NAMES and set(notes) <= NOTES, f"{span.name}: {notes}")
    _demand(not span.events and not span.links, "events or links, which might hold words")
    return Seen(
        service, span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex(), span.name,
        span.start_time_unix_nano, span.end_time_unix_nano, notes, span.status.message if span.status.code == 2 else "",
    )  # fmt: skip


def _values(attributes: Any) -> dict[str, Any]:
    found = {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}
    _demand(len(found) == len(attributes), "an attribute twice")
    return found


def _demand(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def tree(spans: list[Any], parent: str = "") -> dict[str, Any]:
    """name → what is below it, in the order of their beginning. Raises where two spans are not in one tree."""
    roots = [one for one in spans if one.parent == parent]
    below: dict[str, Any] = {one.name: tree(spans, one.id) for one in roots}
    if not parent:
        assert _size(below) == len(spans) and len(roots) == 1, [(one.name, one.parent) for one in spans]
    return below


def _size(found: dict[str, Any]) -> int:
    return sum(1 + _size(below) for below in found.values())
