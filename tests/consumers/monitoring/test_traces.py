"""What worker and sender record about a question is one tree without a word of it, whole when its end is known."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from web_scene.trace_receiver import NAMES, NOTES, tree

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from vouch.adapters.ledger import Ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import Denied, SurfaceDown
from vouch.messages import QuestionAsked
from vouch.ports.surface import Delivery
from vouch.trace import Span, root_id, span, trace_id, traced, whole

pytestmark = pytest.mark.integration

Asked = Callable[..., QuestionAsked]


class Wall:
    """A surface that fails as told."""

    after_doubt = "ask"

    def __init__(self, *fails: Exception) -> None:
        self.fails = list(fails)

    def has(self, delivery: Delivery) -> bool:
        return False

    def post(self, delivery: Delivery) -> None:
        if self.fails:
            raise self.fails.pop(0)


def recorded(
    wall: Wall, steps: int, log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, asked: QuestionAsked
) -> list[Span]:
    """The spans of the question, answered and sent in so many steps; none holds more than names and outcomes."""
    spans: list[Span] = []
    QuestionHandler(loop.answer, loop.decline, ledger, clock, record=spans.append).handle(asked)
    sender = ReplySender(ledger, lambda *_: True, loop.answer, loop.decline, {"terminal": wall}, log.producer(), clock,
                         backoff=Backoff(0.0, 0.0), record=spans.append)
    for _ in range(steps):
        assert sender.step()
    assert {one.trace for one in spans} == {trace_id(asked.id)}
    assert {one.name for one in spans} <= NAMES and set().union(*(one.notes for one in spans)) <= NOTES
    assert asked.text not in repr(spans) and "secret" not in repr(spans)
    return spans


def test_a_question_that_is_sent_is_one_tree(
    log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, question: Asked
) -> None:
    spans = recorded(Wall(), 1, log, ledger, loop, clock, question())
    assert tree(spans) == {"question": {
        "answer": {"record": {}}, "reply": {"check": {}, "post": {}, "announce": {}},
    }}  # fmt: skip
    [root] = [one for one in spans if not one.parent]
    assert root.id == root_id("q1") and root.notes == {"question": "q1", "surface": "terminal", "outcome": "sent"}


def test_a_surface_that_was_down_shows_in_the_spans_and_the_question_ends_once(
    log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, question: Asked
) -> None:
    spans = recorded(Wall(SurfaceDown("secret")), 2, log, ledger, loop, clock, question())
    assert [(one.name, one.error) for one in spans if one.name in ("post", "question")] == [
        ("post", "SurfaceDown"), ("post", ""), ("question", "")
    ]  # fmt: skip
    assert sum(one.name == "look" for one in spans) == 1


def test_an_answer_that_is_refused_ends_its_trace_too(
    log: EmbeddedLog, ledger: Ledger, loop: Any, clock: Any, question: Asked
) -> None:
    spans = recorded(Wall(Denied("secret")), 1, log, ledger, loop, clock, question())
    assert [one.notes["outcome"] for one in spans if one.name == "question"] == ["failed"]


def test_nothing_is_recorded_where_nobody_takes_it() -> None:
    spans: list[Span] = []
    with span("answer"), traced("q1"), span("answer"):
        pass
    with traced("q1", spans.append):
        with traced("q2"), span("answer"):
            pass
        with pytest.raises(KeyError), span("answer") as notes:
            notes["outcome"] = "answered"
            raise KeyError("secret")
    [one] = spans
    assert (one.error, one.notes, one.parent) == ("KeyError", {"outcome": "answered"}, root_id("q1"))


@pytest.mark.parametrize("year", [1, 1960, 2026, 9999])
def test_a_root_lies_in_times_that_can_be_sent_whatever_the_asker_said(year: int) -> None:
    spans: list[Span] = []
    until = datetime(2026, 11, 21, 10, tzinfo=UTC)
    with traced("q1", spans.append):
        whole("q1", "question", datetime(year, 2, 1, tzinfo=UTC), until)
    [root] = spans
    assert 0 <= root.start <= root.end == int(until.timestamp()) * 10**9


LOADED = """
import sys
from consumers.wiring.processes import build_sender
from vouch.settings import read_settings
build_sender(read_settings()).close()
print(sorted({name.split(".")[1] for name in sys.modules if name.startswith("opentelemetry.")}))
"""


@pytest.mark.parametrize(("endpoint", "loaded"), [("", False), ("http://127.0.0.1:4318/v1/traces", True)])
def test_without_a_collector_nothing_that_sends_spans_is_loaded(tmp_path: Path, endpoint: str, loaded: bool) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    env = {**kept, "VOUCH_HOME": str(tmp_path / "home"), "VOUCH_TRACING__ENDPOINT": endpoint}
    done = subprocess.run([sys.executable, "-c", LOADED], env=env, capture_output=True, text=True, check=True)
    assert ("'sdk'" in done.stdout, "'exporter'" in done.stdout) == (loaded, loaded)
