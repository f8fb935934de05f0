"""A server as a process of this machine: started, waited for, killed and started again with the same data."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

NOBODY = 65534                          # some servers refuse to run as root
START_S, END_S = 180.0, 30.0
_PORTS = range(20_000, 32_000)          # below those that outgoing connections take: a killed server gets its own again


@dataclass
class Process:
    """`ready` tells whether it serves; `gently` is the signal that asks it to end."""

    command: Sequence[str]
    folder: Path
    ready: Callable[[], bool]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    gently: signal.Signals = signal.SIGTERM
    working: Path | None = None         # the folder it runs in, if not its own
    begun: Callable[[int], None] = lambda pid: None     # told of each process it becomes
    pid: int = 0
    _starting: threading.Lock = field(default_factory=threading.Lock)

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def start(self) -> None:
        """Afterwards it serves; nothing happens if it runs. Raises RuntimeError with the end of its log."""
        with self._starting:
            if not self.alive():
                self._start()

    def alive(self) -> bool:
        return bool(self.pid) and alive(self.pid)

    def stop(self, *, kill: bool = False) -> None:
        end_family(self.pid, signal.SIGKILL if kill else self.gently)
        self.pid = 0                    # another process may get the number

    def remove(self) -> None:
        """Nothing of it runs any more; its folder is its owner's."""
        self.stop(kill=True)

    def _start(self) -> None:
        with self.log.open("wb") as out:
            self.pid = subprocess.Popen(
                [str(word) for word in self.command], env=dict(self.environment), cwd=self.working or self.folder,
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            ).pid
        try:
            self.begun(self.pid)
            self._await()
        except BaseException:
            self.stop(kill=True)
            raise

    def _await(self) -> None:
        end = time.monotonic() + START_S
        while not self.ready():
            if not alive(self.pid) or time.monotonic() > end:
                raise RuntimeError(f"{self.log} ends with:\n{self.log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.1)


def free_port() -> int:
    """A port of loopback that nobody listens at."""
    while True:
        port = random.choice(_PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def without_root(command: Sequence[str], owned: Path) -> list[str]:
    """`command`, run by nobody if we are root; the folder `owned` then belongs to that user."""
    if os.geteuid() != 0:
        return list(command)
    for path in (owned, *owned.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    setpriv = shutil.which("setpriv") or "setpriv"
    return [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--", *command]


def end_family(pid: int, number: signal.Signals) -> None:
    """The process and all its children are gone: asked with `number`, and killed if that takes too long."""
    if not pid:
        return
    family = _family(pid)
    for member in family if number == signal.SIGKILL else [pid]:
        _send(member, number)
    for last in (False, True):
        limit = time.monotonic() + END_S
        while any(alive(member) for member in family) and time.monotonic() < limit:
            time.sleep(0.02)
        if last or not any(alive(member) for member in family):
            return
        for member in family:
            _send(member, signal.SIGKILL)


def alive(pid: int) -> bool:
    """Whether the process runs; a child of ours that ended is reaped."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    return _state(pid) not in (None, "Z")


def birth(pid: int) -> str:
    """What tells this process from a later one with the same number; empty when there is none that runs."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if fields[0] == "Z":            # killed, and nobody has collected it yet
            return ""
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}/{fields[19]}"
    return ""


def _family(pid: int) -> list[int]:
    """The process and its descendants; servers put some of them into sessions of their own."""
    found = [pid]
    for member in found:
        with contextlib.suppress(OSError):      # it may end while it is looked at
            for children in Path(f"/proc/{member}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    found += [int(child) for child in children.read_text().split()]
    return found


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _state(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return None
