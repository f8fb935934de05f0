"""A Prefect server for one run inside a command, when none is configured.

Prefect would start one itself, in the command's own process group and with
its output on the terminal: Ctrl-C then ends the server first, and the run
hangs on it. This one has a session of its own, writes to a file, and goes
when the command goes, also when that is killed.
"""

import http.client
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from vouch.errors import Unavailable

LOG = "server.log"
_MODULE = "flows.serve_prefect"
_START_S, _POLL_S = 120.0, 0.05
_held: list["subprocess.Popen[bytes]"] = []     # with them their pipes, whose end tells a server to go


def own_server(folder: Path) -> str:
    """The URL of an API that answers until this process ends. The server's words are in `folder`/server.log.

    It is not ended sooner: Prefect sends what it has left when the process ends. Raises Unavailable.
    """
    log = folder / LOG
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with socket.create_server(("127.0.0.1", 0)) as listening, log.open("w") as said:
            port = listening.getsockname()[1]
            server = _start(listening.fileno(), said.fileno())
    except OSError as error:
        cause = f"Prefect's own server cannot be started: {error}"
        raise Unavailable(cause, cure="mend that, or use --direct") from error
    _held.append(server)
    _await_health(server, port, log)
    return f"http://127.0.0.1:{port}/api"


def _start(listening: int, said: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", _MODULE, str(listening)],
        stdin=subprocess.PIPE,
        stdout=said,
        stderr=said,
        pass_fds=[listening],
        start_new_session=True,
        env={name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"},
    )


def _await_health(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end and server.poll() is None:
        if _healthy(port):
            return
        time.sleep(_POLL_S)
    server.kill()
    how = "did not answer in time" if server.returncode is None else f"ended with {server.returncode}"
    words = log.read_text(errors="replace").strip().splitlines()
    raise Unavailable(
        f"Prefect's own server {how}{f': {words[-1]}' if words else ''}",
        cure=f"see {log}; --direct does the same work without Prefect",
    )


def _healthy(port: int) -> bool:
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        asking.request("GET", "/api/health")
        return asking.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asking.close()

