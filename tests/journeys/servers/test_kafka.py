"""A question from one process through Kafka to a worker, from there to a sender and back, as docker-compose.yml has it.

What the three do is one trace at a collector, which then falls silent and is missed by nobody.
"""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from running import warm
from running.compose import command_of
from servers.kafka import Kafka
from web_scene.trace_receiver import TraceReceiver, tree

from vouch.trace import trace_id

ROOT = Path(__file__).parents[3]
READY_S, END_S, UNTRACED_S = 90.0, 30.0, 10.0
SPANS = 18


@pytest.mark.model
@pytest.mark.slow
def test_a_question_goes_through_kafka_and_comes_back_answered(
    kafka_server: Kafka, tmp_path: Path, collector: TraceReceiver
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEvery employee has thirty days of paid leave a year.\n")
    access = tmp_path / "access.yaml"
    access.write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    environment |= kafka_server.settings() | {
        "VOUCH_HOME": str(tmp_path / "home"), "VOUCH_LOG__TOPIC_PREFIX": f"{uuid.uuid4().hex[:8]}-",
        "VOUCH_LOG__PARTITIONS": "2", "VOUCH_TRACING__ENDPOINT": collector.url, "PYTHONPATH": str(ROOT),
    }

    def command(*words: str) -> list[str]:
        return [sys.executable, "-m", "cli.main", *words]

    def vouch(*words: str) -> list[dict[str, Any]]:
        done = warm.run(command(*words), env=environment, capture_output=True, text=True, timeout=200, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()] if "--json" in words else []

    vouch("source", "add", "docs", "--kind", "folder", "--path", str(docs), "--access", str(access))
    vouch("ingest")
    assert len(vouch("migrate", "--json")[0]["topics_made"]) == 9
    running = [
        warm.Popen(command(*command_of(name)[1:]), env=environment, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True)
        for name in ("worker", "sender")
    ]
    try:
        assert [one.stdout and one.stdout.readline() for one in running] == ["worker ready\n", "sender ready\n"]
        began = time.monotonic()
        [answer] = vouch("ask", "How many days of paid leave are there?", "--json")
        first_s = time.monotonic() - began
        assert answer["action"] != "declined" and "thirty days" in json.dumps(answer)
        is_one_tree(collector, trace_id(answer["question_id"]))
        collector.behaves = "silent"
        [status] = vouch("status", "--json")
        assert {topic: lag["waiting"] for topic, lag in status["lag"].items()} == {
            "questions": 0, "feedback": 0, "documents.changed": 0
        }  # fmt: skip
        assert set(status["dead"].values()) == {0}
        (docs / "travel.md").write_text("# Travel\n\nTrains are booked at the desk on the second floor.\n")
        vouch("notify", "docs", "travel.md")
        end = time.monotonic() + READY_S
        while not any(row["path"] == "travel.md" for row in vouch("documents", "--json")):
            assert time.monotonic() < end
        began = time.monotonic()
        assert vouch("ask", "How many days of paid leave are there?", "--json")[0]["action"] != "declined"
        assert time.monotonic() - began < first_s + UNTRACED_S
        for one in running:
            one.send_signal(signal.SIGTERM)
        for one in running:
            said = one.communicate(timeout=END_S)[1]
            assert one.returncode == 0 and said.count("does not accept spans") <= 1, said
        assert collector.complaints == []
    finally:
        for one in running:
            one.kill()
            one.wait()


@pytest.fixture
def collector() -> Iterator[TraceReceiver]:
    with TraceReceiver() as started:
        yield started


def is_one_tree(collector: TraceReceiver, trace: str) -> None:
    end = time.monotonic() + 10
    while "question" not in {one.name for one in collector.of(trace)} or len(collector.of(trace)) < SPANS:
        assert time.monotonic() < end, collector.of(trace)
        time.sleep(0.05)
    found = tree(collector.of(trace))
    assert list(found) == ["question"] and found["question"]["ask"] == {"log": {}}
    assert list(found["question"]["answer"]) == [
        "retrieve", "fuse", "expand", "rerank", "evaluate", "refine", "pack", "write", "verify", "record"
    ]  # fmt: skip
    assert list(found["question"]["reply"]) == ["check", "post", "announce"]
    by_name = {one.name: one for one in collector.of(trace)}
    assert [by_name[name].service for name in ("ask", "answer", "reply", "question")] == [
        "vouch-ask", "vouch-worker", "vouch-sender", "vouch-sender"
    ]  # fmt: skip
    whole = by_name["question"]
    assert whole.notes == {"question": by_name["ask"].notes["question"], "surface": "terminal", "outcome": "sent"}
    assert all(whole.start - 10**9 <= one.start <= one.end for one in by_name.values())
