"""Spans reach a collector as they were recorded; one that is away or slow costs nothing but spans."""

import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from web_scene.trace_receiver import TraceReceiver, tree

from vouch.adapters.observability.otlp import Traces
from vouch.trace import Span, root_id, span, trace_id, traced, whole

pytestmark = pytest.mark.integration

SINCE = datetime(2026, 11, 21, 10, tzinfo=UTC)


@contextmanager
def collector(kind: str) -> Iterator[tuple[str, TraceReceiver | None]]:
    if kind == "away":
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            yield f"http://127.0.0.1:{closed.getsockname()[1]}/v1/traces", None
        return
    with TraceReceiver(int(kind) if kind.isdigit() else kind) as receiver:
        yield receiver.url, receiver


def test_a_question_arrives_as_one_tree_whoever_recorded_what() -> None:
    with TraceReceiver() as receiver:
        worker, sender = Traces(receiver.url, "vouch-worker"), Traces(receiver.url, "vouch-sender")
        with traced("q1", worker.record), span("answer", question="q1"), span("retrieve"):
            time.sleep(0.01)
        with traced("q1", sender.record):
            with pytest.raises(OSError, match="secret words"), span("reply"), span("post"):
                raise OSError("secret words")
            whole("q1", "question", SINCE, SINCE + timedelta(seconds=2.5), outcome="sent")
        worker.close()
        sender.close()
        end = time.monotonic() + 10     # what a close began to send may arrive after it, on a busy machine
        while len(receiver.spans) < 5 and time.monotonic() < end:
            time.sleep(0.05)
        assert receiver.complaints == []
        spans = receiver.of(trace_id("q1"))
        assert len(spans) == len(receiver.spans) == 5
        assert tree(spans) == {"question": {"answer": {"retrieve": {}}, "reply": {"post": {}}}}
        found = {one.name: one for one in spans}
        assert found["question"].id == root_id("q1")
        assert found["question"].end - found["question"].start == 2_500_000_000
        assert found["retrieve"].end - found["retrieve"].start >= 10_000_000
        assert (found["post"].error, found["reply"].error, found["answer"].error) == ("OSError", "OSError", "")
        assert (found["answer"].service, found["reply"].service) == ("vouch-worker", "vouch-sender")


@pytest.mark.parametrize("kind", ["silent", "500", "503", "away"])
def test_a_collector_that_takes_nothing_neither_holds_up_nor_fills_the_log(
    kind: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG, "vouch")
    with collector(kind) as (url, receiver):
        traces = Traces(url, "vouch-worker")
        slowest = 0.0
        for number in range(10_000):
            began = time.perf_counter()
            with traced(f"q{number}", traces.record), span("answer"):
                pass
            slowest = max(slowest, time.perf_counter() - began)
        time.sleep(1.5)                 # at least one request has gone out, and come to nothing
        began = time.monotonic()
        traces.close()
        assert time.monotonic() - began < 4
        assert slowest < 2              # less than a request to it may take
        assert receiver is None or receiver.arrived > 0
    said = [row for row in caplog.records if row.levelno >= logging.WARNING and url in row.getMessage()]
    assert len(said) <= 1
    assert capfd.readouterr().err == ""


def test_a_collector_that_is_back_gets_spans_again_and_both_are_said_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "vouch")
    with TraceReceiver(500) as receiver:
        traces = Traces(receiver.url, "vouch-worker")
        for _ in range(2):
            traces.record(_span())
            traces._provider.force_flush()
        receiver.behaves = "well"
        for _ in range(2):
            traces.record(_span())
            traces._provider.force_flush()
        assert len(receiver.spans) == 2
        traces.close()
    assert [row.levelname for row in caplog.records] == ["WARNING", "INFO"]


def _span() -> Span:
    now = time.time_ns()
    _span.number += 1                   # type: ignore[attr-defined]
    return Span(trace_id("q"), f"{_span.number:016x}", "", "question", now, now, {})  # type: ignore[attr-defined]


_span.number = 0                        # type: ignore[attr-defined]
