"""Imports once what the commands of vouch import, and forks a process for each that a test starts; see warm.py.

Run as a program. It has one thread and does nothing but wait, so that a fork of it is as good as a new process.
"""

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

# What `vouch ask`, `ingest`, `serve`, and `worker` end up with. Not cli.main, which runs as the main module.
MODULES = (
    "torch", "safetensors.torch", "faiss", "tokenizers", "uvicorn", "cli.wiring.asking", "cli.wiring.ingest",
    "cli.wiring.processes", "cli.asking.ask", "cli.asking.search", "cli.sources.ingest", "cli.serving.serve",
    "cli.serving.worker", "vouch.adapters.models.encoder", "vouch.adapters.models.scorers.joint",
    "vouch.adapters.models.scorers.cross_encoder",
)


def serve(requests: socket.socket) -> dict[str, Any]:
    """Forks for each request, tells the id of the child, and returns the request in it; ends with its parent."""
    while True:
        data, handles, *_ = socket.recv_fds(requests, 1 << 20, 3)
        if not data:
            os._exit(0)
        between = os.fork()
        if not between:                     # when it ends, the test adopts the child that it leaves
            own = os.getpid()
            if not (child := os.fork()):
                while os.getppid() == own:
                    time.sleep(0.001)
                requests.close()
                return _taken_on(json.loads(data), handles)
            requests.send(str(child).encode())
            os._exit(0)
        os.waitpid(between, 0)
        requests.send(b"ended")
        for handle in handles:
            os.close(handle)


def _taken_on(told: dict[str, Any], handles: list[int]) -> dict[str, Any]:
    """The process has the streams, the environment, the folder, and the signals that it was to have."""
    for place, handle in enumerate(handles):
        os.dup2(handle, place)
        os.close(handle)
    if told["session"]:
        os.setsid()
    os.chdir(told["cwd"])
    os.environ.clear()
    os.environ.update(told["env"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)                  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)           # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)   # noqa: SIM115
    return told


def begin(words: list[str]) -> None:
    """As `python -m MODULE`, `python -c CODE` or `python FILE` does."""
    how = words[0] if words[0] in ("-m", "-c") else ""
    sys.argv = ["-c", *words[2:]] if how == "-c" else words[1:] if how else words
    more = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:1] = [str(Path.cwd() if how else Path(words[0]).resolve().parent), *more]
    if how == "-m":
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif how == "-c":
        exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    for name in MODULES:
        importlib.import_module(name)
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a thread would be missing in every fork"
    gc.collect()
    gc.freeze()                             # what is there stays where it is, shared by all
    begin(serve(socket.socket(fileno=int(sys.argv[1])))["words"])
