"""Log lines tell what happened and to which question, and hold no words of questions or documents."""

import io
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from consumers.worker.worker import Worker
from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.observability.log_lines import JsonLines, TextLines, write_log_lines
from vouch.errors import IndexDown
from vouch.messages import QuestionAsked, TagsAudience, encode
from vouch.trace import current_trace, root_id, trace_id, traced, traceparent

WORDS = "quokka salaries"
Lines = Callable[[], str]


@pytest.mark.integration
def test_no_level_tells_the_password_of_a_log() -> None:
    """Kafka's client tells all its settings at debug."""
    code = """
from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.adapters.message_log.kafka.topics import KafkaTopics
from vouch.adapters.observability.log_lines import write_log_lines
from vouch.errors import VouchError
from pydantic import SecretStr
write_log_lines("debug", "text")
place = KafkaConnection("127.0.0.1:1", timeout_seconds=1, sasl_mechanism="SCRAM-SHA-256", sasl_user="u",
                   sasl_password=SecretStr("hunter2"))
log = KafkaLog(place)
for act in (KafkaTopics(place, 1, 1).state, lambda: log.producer().send("questions", b"k", b"v"),
            lambda: log.consumer("g", ["questions"]).poll(0.1)):
    try:
        act()
    except VouchError as error:
        print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() and set(done.stdout.split()) == {"LogDown"}, done.stderr[-2000:]
    assert "DEBUG kafka" in done.stderr and "hunter2" not in done.stderr


@pytest.fixture(params=["text", "json"])
def lines(request: pytest.FixtureRequest) -> Iterator[Lines]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(TextLines(False) if request.param == "text" else JsonLines(False))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel("INFO")
    yield stream.getvalue
    root.removeHandler(handler)
    root.setLevel(before)


def test_from_question_to_reply_no_line_holds_their_words_and_all_have_one_trace(
    lines: Lines, memory_folder: Path
) -> None:
    """With an answer that fails, one that is put off and one that breaks its surface."""
    log, ledger = EmbeddedLog(memory_folder / "log.sqlite"), open_ledger(memory_folder / "ledger.sqlite")
    producer, now = log.producer(), lambda: datetime.now(UTC)
    for name in ("good", "bad", "odd"):
        asked = QuestionAsked(id=name, text=WORDS, surface="s", asker="public",
                              audience=TagsAudience(tags=("public",)), asked_at=now())
        producer.send("questions", name.encode(), encode(asked))
    away = [IndexDown("no index")]

    def answer(question: QuestionAsked) -> object:
        if away:
            raise away.pop()
        if question.id == "bad":
            raise ValueError(f"cannot handle {question.text}")
        body = {"id": question.id, "answer": WORDS}
        return type("R", (), {"answer": body, "candidates": (), "given": (), "steps": ()})

    class Surface:
        after_doubt = "ask"

        def has(self, delivery: object) -> bool:
            return False

        def post(self, delivery: object) -> None:
            if "odd" in str(delivery):
                raise KeyError(WORDS)

    handler = QuestionHandler(answer, lambda q, r: {"id": f"d-{q.id}", "reason": r}, ledger, now)
    fast = Backoff(0.001, 0.001)
    Worker(log, "g", {"questions": handler}, ledger.attempts, now, threading.Event(), backoff=fast).run(drain=True)
    sender = ReplySender(ledger, lambda audience, chunks: True, answer, lambda q, r: {"id": f"e-{q.id}"},
                         {"s": Surface()}, producer, now, backoff=fast)
    while ledger.outbox.counts().keys() - {"sent", "failed"}:
        sender.step()
    text = lines()
    assert not any(word in text for word in WORDS.split()), text
    for expected in ("good is answered on s", "odd stays without an answer", "ValueError", "KeyError", "questions/"):
        assert expected in text
    if text.startswith("{"):
        rows = [json.loads(line) for line in text.splitlines()]
        assert {"time", "level", "logger", "message"} <= set.intersection(*map(set, rows))
        of_good = [row["message"] for row in rows if row.get("trace") == trace_id("good")]
        assert any("is done" in line for line in of_good) and any("is answered on s" in line for line in of_good)
        assert all(trace_id(name) == row["trace"] for row in rows for name in ("good", "odd")
                   if f"question {name} " in row["message"])


def test_at_debug_the_whole_error_is_shown() -> None:
    try:
        raise ValueError(WORDS)
    except ValueError as error:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "it failed", (), (ValueError, error, None))
    assert WORDS not in TextLines(False).format(record) and "ValueError" in TextLines(False).format(record)
    assert WORDS in TextLines(True).format(record)
    assert WORDS in JsonLines(True).format(record) and WORDS not in JsonLines(False).format(record)


def test_a_message_with_line_breaks_stays_one_line_of_json() -> None:
    record = logging.LogRecord("x", logging.INFO, "f", 1, "a\nb %s", ("\u2028",), None)
    [line] = JsonLines(False).format(record).split("\n")
    assert json.loads(line)["message"] == "a\nb \u2028"


def test_traces_end_where_they_began_and_threads_do_not_share_them() -> None:
    seen: list[str] = []
    with traced("q1"):
        assert current_trace() == trace_id("q1") != trace_id("q2")
        other = threading.Thread(target=lambda: seen.append(current_trace()))
        other.start()
        other.join()
        with traced("q2"):
            pass
        assert current_trace() == trace_id("q1")
    assert current_trace() == "" and seen == [""]
    assert traceparent("q1") == f"00-{trace_id('q1')}-{root_id('q1')}-01"


def test_the_setting_decides_level_and_form(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    before = root.level
    try:
        write_log_lines("info", "json")
        [handler] = root.handlers
        assert root.level == logging.INFO and isinstance(handler.formatter, JsonLines)
    finally:
        root.setLevel(before)


@pytest.mark.integration
@pytest.mark.parametrize("level", ["info", "warning"])
def test_no_line_tells_the_addresses_of_requests(level: str) -> None:
    code = f"""
import logging
from vouch.adapters.observability.log_lines import write_log_lines
write_log_lines({level!r}, "json")
for name in ("httpx", "httpx2", "httpcore.connection", "httpcore2.http11"):
    logging.getLogger(name).info("HTTP Request: POST http://svc:hush@host/?key=hush")
logging.getLogger("vouch").warning("alive")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "hush" not in done.stderr and "alive" in done.stderr
