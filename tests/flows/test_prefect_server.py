"""A real Prefect server and a real process worker: deployed from prefect.yaml, triggered, and a version appears."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEPLOYMENT = "ingest/every-quarter-hour"
pytestmark = [pytest.mark.model, pytest.mark.slow]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def process(words: list[str], env: dict[str, str], log: Path) -> Iterator[subprocess.Popen]:
    """A process group of its own, ended with all its children."""
    with log.open("w") as out:
        running = subprocess.Popen(words, cwd=ROOT, env=env, stdout=out, stderr=out, start_new_session=True)
    try:
        yield running
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        try:
            running.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait(5)


def until(look, seconds: float, what: str):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.5)
    raise AssertionError(f"{what} did not happen within {seconds} s")


def healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=2) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False


def test_a_deployment_from_prefect_yaml_publishes_a_version(tmp_path):
    docs, home = tmp_path / "docs", tmp_path / "home"
    docs.mkdir()
    (docs / "a.md").write_text("# Leave\n\nEverybody has thirty days of leave.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    port = free_port()
    url = f"http://127.0.0.1:{port}/api"
    env = {
        **os.environ,
        "VOUCH_HOME": str(home),
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_API_URL": url,
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    bin_ = Path(sys.executable).parent

    def run(*words: str) -> str:
        done = subprocess.run([str(bin_ / words[0]), *words[1:]], cwd=ROOT, env=env, capture_output=True, text=True,
                              timeout=180, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def published() -> list[dict]:
        rows = [json.loads(line) for line in run("vouch", "versions", "list", "--json").splitlines()]
        return [row for row in rows if row["current"]]

    run("vouch", "source", "add", "docs", "--kind", "folder", "--path", str(docs))
    server = [str(bin_ / "prefect"), "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    worker = [str(bin_ / "prefect"), "worker", "start", "--pool", "vouch", "--name", "one"]
    with process(server, env, tmp_path / "server.log"):
        until(lambda: healthy(url), 90, "the server's start")
        run("prefect", "work-pool", "create", "vouch", "--type", "process")
        run("prefect", "--no-prompt", "deploy", "--all")
        with process(worker, env, tmp_path / "worker.log"):
            run("prefect", "deployment", "run", DEPLOYMENT)
            (row,) = until(published, 120, "the new version")
    assert (row["version"], row["state"]) == (1, "published")
