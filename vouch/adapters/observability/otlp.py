"""Sends spans to a collector by OTLP over HTTP, beside the work: a collector that is away costs nothing but spans."""

import logging
import threading
from collections.abc import Sequence
from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from vouch.trace import Span

REQUEST_S = 5.0                         # for one request and what the library tries again
CLOSE_S = 2.0                           # for what is left when the process ends
_EVERY_MS = 1000
_QUEUE, _BATCH = 8192, 512              # spans; newer ones push out the oldest
_SAMPLED = trace.TraceFlags(trace.TraceFlags.SAMPLED)
_log = logging.getLogger(__name__)


class Traces:
    """Threads may share it."""

    def __init__(self, endpoint: str, service: str) -> None:
        """`endpoint` takes the spans of `service`; OpenTelemetry's own variables may name headers and certificates."""
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)   # of every batch it says what we say once
        self._ids = _GivenIds()
        self._provider = TracerProvider(
            ALWAYS_ON, Resource({"service.name": service, "service.version": version("vouch")}),
            id_generator=self._ids, shutdown_on_exit=False,
        )  # fmt: skip
        exporter = _SaysOnce(OTLPSpanExporter(endpoint, timeout=REQUEST_S), endpoint)
        self._provider.add_span_processor(BatchSpanProcessor(
            exporter, max_queue_size=_QUEUE, schedule_delay_millis=_EVERY_MS, max_export_batch_size=_BATCH,
            export_timeout_millis=REQUEST_S * 1000,
        ))  # fmt: skip
        self._tracer = self._provider.get_tracer("vouch")

    def record(self, span: Span) -> None:
        """Implements vouch.trace.Recorder."""
        self._ids.next = (int(span.trace, 16), int(span.id, 16))
        made = self._tracer.start_span(span.name, _below(span), start_time=span.start, attributes=span.notes)
        if span.error:
            made.set_status(trace.Status(trace.StatusCode.ERROR, span.error))
        made.end(span.end)

    def close(self) -> None:
        """Sends what is left, as far as that goes quickly."""
        closing = threading.Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        closing.join(CLOSE_S)


def _below(span: Span) -> Context:
    if not span.parent:
        return Context()
    parent = trace.SpanContext(int(span.trace, 16), int(span.parent, 16), is_remote=True, trace_flags=_SAMPLED)
    return trace.set_span_in_context(trace.NonRecordingSpan(parent), Context())


class _GivenIds(threading.local, IdGenerator):
    """The ids of the span that this thread records next."""

    next: tuple[int, int] = (1, 1)

    def generate_trace_id(self) -> int:
        return self.next[0]

    def generate_span_id(self) -> int:
        return self.next[1]


class _SaysOnce(SpanExporter):
    """Says when the collector begins to take nothing, and when it takes spans again."""

    def __init__(self, exporter: SpanExporter, endpoint: str) -> None:
        self._exporter = exporter
        self._endpoint = endpoint
        self._taken = True

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        taken = result is SpanExportResult.SUCCESS
        if taken and not self._taken:
            _log.info("the collector at %s accepts spans again", self._endpoint)
        elif self._taken and not taken:
            _log.warning("the collector at %s does not accept spans; they are dropped until it does", self._endpoint)
        self._taken = taken
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()
