"""strace at a forked child: it is killed at one of its file operations, or that operation fails.

Forking a warm process costs a tenth of a second where starting Python anew
costs two, so every operation of a publish can be tried.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vouch.errors import VouchError

WRITES = ("openat", "write", "pwrite64", "writev", "fsync", "fdatasync", "rename", "renameat", "renameat2", "mkdir",
          "mkdirat", "unlink", "unlinkat", "rmdir", "ftruncate")
READS = ("read", "pread64")
_SET_PTRACER, _ANYBODY = 0x59616D61, ctypes.c_ulong(-1)

MISSING = "" if shutil.which("strace") else "strace is not installed (Debian: apt install strace)"


@dataclass(frozen=True)
class Fault:
    """What happens at one of `calls`: `inject` in strace's words."""

    name: str
    calls: tuple[str, ...]
    inject: str


KILL = Fault("killed", WRITES, "signal=KILL")
IO_ERROR = Fault("EIO", (*WRITES, *READS), "error=EIO")
DISK_FULL = Fault("ENOSPC", WRITES, "error=ENOSPC")


@dataclass(frozen=True)
class Ended:
    """How the child ended. `hit`: the fault came; `told`: the VouchError or, in `crash`, anything else it raised."""

    hit: bool
    told: str
    crash: str


def operations(act: Callable[[], object], fault: Fault, folder: Path) -> list[tuple[str, int]]:
    """(call, its how-manyth) of every operation of `act` that the fault may hit, in order; done without harm."""
    _run(act, fault, [], folder)
    counts: Counter[str] = Counter()
    found = []
    for line in (folder / "strace.log").read_text(errors="replace").splitlines():
        call = line.split(maxsplit=1)[1].partition("(")[0]
        if call in fault.calls:
            counts[call] += 1
            found.append((call, counts[call]))
    return found


def run_with_fault(act: Callable[[], object], fault: Fault, call: str, at: int, folder: Path) -> Ended:
    """Forks, lets the child do `act`, with the fault at its `at`-th `call`, and waits for it.

    strace counts each kind of call by itself, so a fault names the kind.
    """
    status = _run(act, fault, ["-e", f"inject={call}:{fault.inject}:when={at}"], folder)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    injected = "(INJECTED)" in (folder / "strace.log").read_text(errors="replace")
    note = folder / "note"
    kind, _, text = (note.read_text() if note.exists() else "").partition("\n")
    return Ended(killed or injected, text if kind == "told" else "", text if kind == "crash" else "")


def _run(act: Callable[[], object], fault: Fault, inject: list[str], folder: Path) -> int:
    log, note = folder / "strace.log", folder / "note"
    for path in (log, note):
        path.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        _child(act, note)
    os.waitpid(child, os.WUNTRACED)
    command = ["strace", "-f", "-qq", "-o", str(log), "-p", str(child), "-e", f"trace={','.join(fault.calls)}", *inject]
    tracer = subprocess.Popen(command)
    _wait_for_tracer(child)
    os.kill(child, signal.SIGCONT)
    _, status = os.waitpid(child, 0)
    tracer.wait()
    return status


def _child(act: Callable[[], object], note: Path) -> None:
    ctypes.CDLL(None).prctl(_SET_PTRACER, _ANYBODY, 0, 0, 0)
    os.kill(os.getpid(), signal.SIGSTOP)
    try:
        act()
    except VouchError as error:
        note.write_text(f"told\n{error}")
    except BaseException:
        note.write_text(f"crash\n{traceback.format_exc()}")
    os._exit(0)


def _wait_for_tracer(child: int) -> None:
    status = Path(f"/proc/{child}/status")
    while "TracerPid:\t0\n" in status.read_text():
        pass
