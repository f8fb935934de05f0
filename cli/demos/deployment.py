"""The demo's last scene where it is asked for: a Prefect server of its own, and an ingest as one of its deployments."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from cli.terminal.activity import waiting
from cli.terminal.output import say
from vouch.errors import Unavailable, Usage
from vouch.extras import require

DEPLOYMENT = "ingest/every-quarter-hour"
READY_S, RUN_S = 90.0, 300.0


def needs() -> None:
    """Raises Usage where Prefect is not installed, or its deployments are not there."""
    require("prefect", "vouch demo --prefect")
    _deployments()


def show_deployment(place: Path) -> None:
    """Starts a server on loopback with its data in `place`, deploys, runs the ingest, and ends all of it.

    Raises Unavailable if the server does not start or a command of Prefect fails.
    """
    with _server(place / "prefect") as environment:
        _prefect(environment, "work-pool", "create", "vouch", "--type", "process")
        _prefect(environment, "deploy", "--name", DEPLOYMENT.partition("/")[2])
        with _process(environment, "worker", "start", "--pool", "vouch", "--type", "process"):
            told = _prefect(environment, "deployment", "run", DEPLOYMENT, "--watch")
        say(told.strip().splitlines()[-1])
        for line in _prefect(environment, "artifact", "ls").strip().splitlines():
            say(line)


@contextmanager
def _server(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of commands that speak to it."""
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    login, address = f"demo:{secrets.token_hex(16)}", f"http://127.0.0.1:{port}/api"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")},
        "PATH": f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ.get('PATH', '')}",
        "PREFECT_HOME": str(folder), "PREFECT_API_URL": address, "PREFECT_API_AUTH_STRING": login,
        "PREFECT_SERVER_API_AUTH_STRING": login, "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1",
        "PREFECT_WORKER_QUERY_SECONDS": "2",
    }  # fmt: skip
    with _process(environment, "server", "start", "--host", "127.0.0.1", "--port", str(port)) as server:
        with waiting("starting a Prefect server"):
            _until_ready(f"{address}/health", server)
        yield environment


def _until_ready(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + READY_S
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(address, timeout=5):  # noqa: S310 (an address of this process)
            return
        time.sleep(0.3)
    raise Unavailable("the demo's Prefect server did not start", cure="try it by hand: prefect server start")


@contextmanager
def _process(environment: Mapping[str, str], *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command of Prefect that runs on, ended with all its children."""
    command = [sys.executable, "-m", "prefect", *words]
    running = subprocess.Popen(command, cwd=_deployments(), env=dict(environment), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield running
    finally:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(running.pid, sign)
            with suppress(subprocess.TimeoutExpired):
                running.wait(15)


def _prefect(environment: Mapping[str, str], *words: str) -> str:
    """Runs one command of Prefect, after printing it; what it wrote. Raises Unavailable."""
    say("$ prefect " + " ".join(words))
    with waiting(f"prefect {words[0]}"):
        try:
            done = subprocess.run([sys.executable, "-m", "prefect", "--no-prompt", *words], cwd=_deployments(),
                                  text=True, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=RUN_S, check=False)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"prefect {words[0]} did not end within {RUN_S:.0f} s", cure="try it again") from None
    if done.returncode:
        raise Unavailable(f"prefect {words[0]} failed: {done.stdout.strip()[-500:]}",
                          cure="run the commands of docs/servers.md by hand")
    return done.stdout


def _deployments() -> Path:
    """The folder of prefect.yaml. Raises Usage."""
    places = (Path(__file__).resolve().parents[2], Path(sysconfig.get_path("data"), "share", "vouch"))
    for place in places:
        if (place / "prefect.yaml").is_file():
            return place
    raise Usage(f"prefect.yaml is not in {' or '.join(map(str, places))}", cure="run it from a checkout: make demo")
