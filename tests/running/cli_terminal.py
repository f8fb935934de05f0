"""Commands at a terminal of a given width: what they write there, and when."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from pathlib import Path

from running import warm

ROOT = Path(__file__).resolve().parents[2]


def at_terminal(
    *words: object, columns: int = 80, env: Mapping[str, str] | None = None,
    start: "type[subprocess.Popen[bytes]]" = warm.Popen,
) -> tuple[str, float, int]:  # fmt: skip
    """What `vouch` writes on a terminal, after how many seconds the first of it came, and its exit code."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    started, first, said = time.monotonic(), None, b""
    process = start([sys.executable, "-m", "cli.main", *map(str, words)], stdin=there, stdout=there, stderr=there,
                    cwd=ROOT, env={**kept, "TERM": "xterm-256color", **(env or {})})
    os.close(there)
    while True:
        if not select.select([here], [], [], 120)[0]:
            break
        try:
            block = os.read(here, 65536)
        except OSError:                     # how a terminal says that nobody has it open any more
            break
        if not block:
            break
        first = first or time.monotonic() - started
        said += block
    os.close(here)
    return said.decode(), first or 0.0, process.wait(timeout=60)


def left_on_screen(said: str) -> list[str]:
    """The lines that stay, once the moving one is gone; colours included."""
    lines = []
    for line in said.replace("\r\n", "\n").split("\n"):
        lines.append(line.rpartition("\r")[2].replace("\x1b[K", ""))
    return lines
