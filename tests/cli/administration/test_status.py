"""vouch status says what waits, what is down and what runs, to people and to programs."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from http_scene.callback_receiver import SECRET, CallbackReceiver, says
from running import warm

from cli.wiring.administration import open_administration
from vouch.messages import QuestionAsked, TagsAudience

Vouch = Callable[..., tuple[int, str, str]]


@pytest.fixture
def index(vouch: Vouch) -> None:
    """An empty version of the encoder that comes along."""
    from vouch.adapters.models.encoder import encoder_fingerprint

    store = open_administration().store
    store.publish(None, changed=[], moved={}, removed=[], cursors={}, vectors=lambda keys: None,
                  fingerprints=store.fingerprints(encoder_fingerprint(None, "auto", "auto"), "c"))


@pytest.fixture
def receiver() -> Iterator[CallbackReceiver]:
    with CallbackReceiver() as started:
        yield started


def row(done: tuple[int, str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done[1])
    return found


def up(found: dict[str, Any]) -> dict[str, bool]:
    return {machine["name"]: machine["up"] for machine in found["machines"]}


def test_a_wrong_setting_of_the_index_takes_nothing_else_down(vouch: Vouch) -> None:
    code, out, _ = vouch("status", VOUCH_VECTORS__KIND="elasticsearch")
    assert code == 10 and "up   ledger" in out and "up   access rules" in out
    assert "DOWN index: VOUCH_VECTORS__KIND" in out


def test_before_the_first_ingest_the_index_is_down_and_the_cure_is_named(vouch: Vouch) -> None:
    code, out, err = vouch("status")
    assert code == 10 and "DOWN index: there is no index yet" in out and "vouch ingest" in err
    assert "no worker, sender or watch runs" in out


@pytest.mark.usefixtures("index")
def test_a_home_in_order_is_told_in_words_and_in_json(vouch: Vouch) -> None:
    code, out, _ = vouch("status")
    assert code == 0 and "version 1, " in out and "DOWN" not in out
    found = row(vouch("status", "--json"))
    assert up(found) == {"ledger": True, "log": True, "index": True, "access rules": True, "disk": True}
    assert (found["held"], found["quarantined"]) == ("", 0)
    assert (found["version"], found["outbox"], found["unsent"], found["processes"]) == (1, {}, {}, [])
    assert found["dead"] == {"questions": 0, "feedback": 0, "documents.changed": 0}


@pytest.mark.usefixtures("index")
def test_what_waits_is_counted_by_topic_and_partition(vouch: Vouch) -> None:
    vouch("source", "add", "docs", "--kind", "folder", "--path", Path.cwd())
    for _ in range(3):
        assert vouch("notify", "docs")[0] == 0
    found = row(vouch("status", "--json"))["lag"]["documents.changed"]
    assert (found["group"], found["waiting"]) == ("vouch-documents", 3) and sum(found["partitions"].values()) == 3
    assert "documents.changed" in vouch("status")[1]


@pytest.mark.usefixtures("index")
def test_a_callback_and_a_model_server_are_asked_too(vouch: Vouch, receiver: CallbackReceiver) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        env = {
            "VOUCH_CALLBACK__URL": receiver.url, "VOUCH_CALLBACK__SECRET": SECRET,
            "VOUCH_CALLBACK__HOSTS": "example.org, 127.0.0.1", "VOUCH_CALLBACK__SURFACE": "intranet",
            "VOUCH_WRITER__KIND": "openai",
            "VOUCH_WRITER__BASE_URL": f"http://127.0.0.1:{closed.getsockname()[1]}/v1",
        }
        done = vouch("status", "--json", **env)
    assert done[0] == 10 and up(row(done)) == {
        "ledger": True, "log": True, "index": True, "access rules": True, "disk": True,
        "surface intranet": True, "model": False,
    }
    receiver.to_asks.append(says(500))
    assert up(row(vouch("status", "--json", **env)))["surface intranet"] is False
    assert receiver.posts == [] and receiver.complaints == []


def test_a_callback_that_may_not_be_used_stops_the_worker_at_once(vouch: Vouch) -> None:
    code, _, err = vouch("worker", VOUCH_CALLBACK__URL="https://bots.example.org/", VOUCH_CALLBACK__SECRET=SECRET)
    assert code == 2 and "VOUCH_CALLBACK__HOSTS" in err
    code, _, err = vouch("worker", VOUCH_CALLBACK__URL="https://bots.example.org/", VOUCH_CALLBACK__SECRET=SECRET,
                         VOUCH_CALLBACK__HOSTS="bots.example.org", VOUCH_CALLBACK__SURFACE="terminal")
    assert code == 2 and "VOUCH_CALLBACK__SURFACE" in err


@pytest.mark.slow
@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("role", ["worker", "sender", "watch"])
def test_a_running_process_is_seen_by_status_and_answers_on_its_port(vouch: Vouch, tmp_path: Path, role: str) -> None:
    (tmp_path / "docs").mkdir()
    vouch("source", "add", "docs", "--kind", "folder", "--path", tmp_path / "docs")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = Path(sys.executable).with_name("vouch")
    env = {**os.environ, "VOUCH_MONITOR__PORT": str(port), "VOUCH_LOG_FORMAT": "json", "VOUCH_LOG_LEVEL": "info"}
    process = warm.Popen([command, role], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as reply:
                    assert json.loads(reply.read()) == {"well": True, "wrong": []}
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < until
                time.sleep(0.1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as reply:
            assert ('vouch_up{machine="index"} 1' in reply.read().decode()) is (role != "watch")
        found = row(vouch("status", "--json"))["processes"]
        [one] = found
        assert (one["role"], one["pid"], one["waiting"], one["stuck"]) == (role, process.pid, [], [])
        assert f"{role} {process.pid}, for " in vouch("status")[1]
    finally:
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert all(json.loads(line)["message"] for line in err.splitlines())
    assert row(vouch("status", "--json"))["processes"] == []


def test_a_watch_that_looks_no_more_makes_its_process_sick() -> None:
    from cli.sources.watch import Followed, _follow
    from consumers.monitoring.telemetry import Telemetry
    from services.documents.announcing import Announcer

    class LooksOnce:
        def changes(self, stop: threading.Event, looked: Callable[[], object]) -> Iterator[None]:
            looked()
            return iter(())

    ticks = [1000.0]
    telemetry, nothing = Telemetry(lambda: ticks[0]), Any
    notices = Announcer(nothing, nothing, nothing, telemetry, nothing)     # type: ignore[arg-type]
    _follow(Followed("docs", "watch of docs", LooksOnce()), notices, threading.Event(), True)
    assert telemetry.stuck(300) == []
    ticks[0] += 301
    assert telemetry.stuck(300) == ["watch of docs"]


@pytest.mark.usefixtures("index")
def test_a_surface_that_by_the_settings_nobody_serves_is_named(vouch: Vouch) -> None:
    question = QuestionAsked(
        id="q1", text="hello", surface="callback", asker="public", audience=TagsAudience(tags=("public",)),
        asked_at=datetime.now(UTC),
    )  # fmt: skip
    open_administration().ledger.answers.record(question, {"id": "a1"}, [], [], datetime.now(UTC))
    assert "1 answer waits for callback" in (out := vouch("status")[1]) and "no process serves it" in out
    assert row(vouch("status", "--json"))["unsent"]["callback"]["served"] is False
    assert "FAIL outbox" in (out := vouch("doctor")[1]) and "'callback'" in out
    named = {"VOUCH_WORKER__SURFACES": "callback"}
    assert "no process serves it" not in vouch("status", **named)[1]
    assert "ok   outbox: 1 answer waiting" in vouch("doctor", **named)[1]


@pytest.mark.usefixtures("index")
def test_rules_that_cannot_be_read_are_told_wherever_somebody_looks(vouch: Vouch, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Keys\n\nKeys are rotated.\n")
    (docs / "access.yaml").write_text("rules:\n  - match: '**'\n    allow: public\n")
    vouch("source", "add", "docs", "--kind", "folder", "--path", docs)
    assert vouch("status")[0] == 0
    (docs / "access.yaml").unlink()
    code, out, err = vouch("status")
    assert code == 10 and "DOWN access rules: " in out and str(docs / "access.yaml") in out
    assert "vouch source access docs FILE" in err
    assert up(row(vouch("status", "--json")))["access rules"] is False
    for words in (("search", "keys", "--mode", "lexical"), ("ingest", "--dry-run")):
        assert "rules of source docs cannot be read" in vouch(*words)[2]
    (docs / "access.yaml").write_text("rules:\n  - match: '**'\n    allow: public\n")
    assert vouch("status")[0] == 0 and "cannot be read" not in vouch("search", "keys", "--mode", "lexical")[2]


@pytest.mark.usefixtures("index")
def test_a_hold_and_a_full_disk_are_told(vouch: Vouch, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = open_administration()
    parts.versions.rollback(1, parts.watched.permissions())
    assert "versions release" in vouch("status")[1] and "stopped since" in row(vouch("status", "--json"))["held"]
    monkeypatch.setattr("vouch.adapters.observability.health.ENOUGH_BYTES", 1 << 62)
    code, out, _ = vouch("status")
    assert code == 10 and "DOWN disk" in out


def test_doctor_knows_a_model_server_that_does_not_answer(vouch: Vouch, monkeypatch: pytest.MonkeyPatch) -> None:
    from cli.administration import checks

    monkeypatch.setattr(checks, "_CHECKS", {name: checks._CHECKS[name] for name in ("model", "documents")})
    assert vouch("doctor")[1].startswith("ok   model: none")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        code, out, _ = vouch("doctor", VOUCH_WRITER__KIND="openai",
                             VOUCH_WRITER__BASE_URL=f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
    assert code == 8 and "FAIL model" in out and "ok   documents: none yet" in out
