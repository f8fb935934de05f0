"""Python processes that begin with what vouch imports: three seconds of a core less for each that tests start.

`Popen` and `run` are those of `subprocess`, for `python -m MODULE`, `python -c CODE`, `python FILE`, and scripts such
as `vouch`. What they start is a process of its own, and a child of this one; it was forked from one that did nothing
but import. Where a start itself is tested, or what a process has in its memory, `subprocess` is right.
"""

import atexit
import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PARENT = Path(__file__).with_name("warm_parent.py")
_SUBREAPER = 36                         # PR_SET_CHILD_SUBREAPER
_ASKED: list[socket.socket] = []


class Popen(subprocess.Popen[Any]):
    """Like `subprocess.Popen`; of its own settings it knows streams, `text`, `cwd`, `env` and `start_new_session`."""

    def __init__(self, args: Sequence[object], *, start_new_session: bool = False, **more: Any) -> None:
        self._session = start_new_session
        super().__init__([str(word) for word in args], **more)

    def _execute_child(                 # type: ignore[override]
        self, args: list[str], executable: None, preexec_fn: None, close_fds: bool, pass_fds: Any, cwd: Any, env: Any,
        startupinfo: None, creationflags: int, shell: bool,
        p2cread: int, p2cwrite: int, c2pread: int, c2pwrite: int, errread: int, errwrite: int, *rest: Any,
    ) -> None:  # fmt: skip
        told = {"words": args[1:] if args[0] == sys.executable else args, "cwd": os.fspath(cwd or Path.cwd()),
                "session": self._session, "env": {k: os.fspath(v) for k, v in (env or os.environ).items()}}
        streams = [given if given != -1 else own for own, given in enumerate((p2cread, c2pwrite, errwrite))]
        try:
            self.pid = _forked(json.dumps(told).encode(), streams)
            self._child_created = True
        finally:
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)   # type: ignore[attr-defined]


def run(
    args: Sequence[object], *, input: str | None = None, capture_output: bool = False, check: bool = False,
    timeout: float | None = None, **more: Any,
) -> "subprocess.CompletedProcess[Any]":  # fmt: skip
    """Like `subprocess.run`."""
    if capture_output:
        more |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if input is not None:
        more |= {"stdin": subprocess.PIPE}
    with Popen(args, **more) as process:
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def _forked(told: bytes, streams: list[int]) -> int:
    """The id of the new process. While it comes to be, this process adopts children that have lost their parents."""
    asked = _parent()
    _adopts(True)
    try:
        socket.send_fds(asked, [told], streams)
        child = int(asked.recv(64))
        assert asked.recv(64) == b"ended"
    finally:
        _adopts(False)
    return child


def _parent() -> socket.socket:
    if not _ASKED:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        known = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        started = subprocess.Popen([sys.executable, _PARENT, str(there.fileno())], pass_fds=[there.fileno()],
                                   env={**known, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
        there.close()
        atexit.register(started.wait)
        atexit.register(here.close)     # before, as the later of the two: then the other ends
        _ASKED.append(here)
    return _ASKED[0]


def _adopts(whether: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, int(whether), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")
