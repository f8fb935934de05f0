"""A question from one process through Kafka to a worker and back, with nothing but the command."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from services.kafka import Kafka

ROOT = Path(__file__).parents[2]
READY_S, END_S = 90.0, 30.0


@pytest.mark.model
@pytest.mark.slow
def test_a_question_goes_through_kafka_and_comes_back_answered(kafka_server: Kafka, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEvery employee has thirty days of paid leave a year.\n")
    access = tmp_path / "access.yaml"
    access.write_text("rules:\n  - match: '**'\n    allow: [public]\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    environment |= kafka_server.settings() | {
        "VOUCH_HOME": str(tmp_path / "home"), "VOUCH_LOG__TOPIC_PREFIX": f"{uuid.uuid4().hex[:8]}-",
        "VOUCH_LOG__PARTITIONS": "2", "PYTHONPATH": str(ROOT),
    }

    def command(*words: str) -> list[str]:
        return [sys.executable, "-m", "cli.main", *words]

    def vouch(*words: str) -> list[dict[str, Any]]:
        done = subprocess.run(command(*words), env=environment, capture_output=True, text=True, timeout=200, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()] if "--json" in words else []

    vouch("source", "add", "docs", "--kind", "folder", "--path", str(docs), "--access", str(access))
    vouch("ingest")
    assert len(vouch("migrate", "--json")[0]["topics_made"]) == 8
    worker = subprocess.Popen(command("worker"), env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert worker.stdout and worker.stdout.readline() == "worker ready\n"
        [answer] = vouch("ask", "How many days of paid leave are there?", "--json")
        assert answer["action"] != "declined" and "thirty days" in json.dumps(answer)
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
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(END_S) == 0
    finally:
        worker.kill()
        worker.wait()
