"""A real Prefect server with the deployments of prefect.yaml and a process worker, for one home of vouch.

Deployed and worked by the commands of docker-compose.yml.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from running import warm
from running.compose import command_of
from servers.prefect import PrefectServer
from servers.process import free_port

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
T = TypeVar("T")


@dataclass(frozen=True)
class PrefectPlace:
    folder: Path
    home: Path
    env: dict[str, str]

    def run(self, *words: str) -> str:
        """Runs a command of the environment; its standard output."""
        program = shutil.which(words[0], path=self.env["PATH"]) or words[0]
        run = warm.run if words[0] == "vouch" else subprocess.run
        done = run([program, *words[1:]], cwd=ROOT, env=self.env, capture_output=True, text=True,
                   timeout=180, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def asked(self, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """What the server's API tells."""
        login = base64.b64encode(self.env["PREFECT_API_AUTH_STRING"].encode()).decode()
        request = urllib.request.Request(
            f"{self.env['PREFECT_API_URL']}/{path}", data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Basic {login}"},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=10) as reply:
            rows: list[dict[str, Any]] = json.load(reply)
        return rows


@contextmanager
def prefect_place(folder: Path, **settings: str) -> Iterator[PrefectPlace]:
    """Deployed and ready, with these settings of vouch; server and worker end with it, with all their children."""
    server = PrefectServer(folder / "prefect")
    place = PrefectPlace(folder, folder / "home", {
        **{name: value for name, value in os.environ.items() if not name.startswith(("VOUCH_", "PREFECT_"))},
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "VOUCH_HOME": str(folder / "home"),
        "PREFECT_HOME": str(folder / "prefect"),
        **server.settings(),
        "PREFECT_WORKER_WEBSERVER_PORT": str(free_port()),
        "PREFECT_WORKER_WEBSERVER_HOST": "127.0.0.1",
        "PREFECT_WORKER_QUERY_SECONDS": "2",        # and not 10 until it notices a run
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        **settings,
    })  # fmt: skip
    program, *words = command_of("ingest")
    worker = [str(BIN / program), *words, "--name", "one"]
    server.start()
    try:
        place.run(*command_of("deploy"))
        with process(worker, place.env, folder / "worker.log"):
            until(lambda: healthy(place.env["PREFECT_WORKER_WEBSERVER_PORT"]), 90, "the worker's start")
            yield place
    finally:
        server.remove()


def healthy(port: str) -> bool:
    """Whether the worker answers where docker-compose.yml has it asked."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


@contextmanager
def process(words: list[str], env: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process group of its own, ended with all its children."""
    with log.open("w") as out:
        start = warm.Popen if Path(words[0]).name in ("vouch", Path(sys.executable).name) else subprocess.Popen
        running = start(words, cwd=ROOT, env=env, stdout=out, stderr=out, start_new_session=True)
    try:
        yield running
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGTERM)
        try:
            running.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait(5)


def until(look: Callable[[], T], seconds: float, what: str) -> T:
    """What `look` finds, once it finds something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError(f"{what} did not happen within {seconds} s")

