"""Ends a server whose tests were killed: it waits for the end of its own input, which their process holds.

    python -m servers.keeper PID BIRTH FOLDER
"""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

from servers.process import birth, end_family


def keep(pid: int, folder: Path) -> subprocess.Popen[bytes]:
    """From now on neither the process nor its folder outlives our process."""
    words = [sys.executable, "-m", "servers.keeper", str(pid), birth(pid), str(folder)]
    return subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[1], start_new_session=True,
    )  # fmt: skip


if __name__ == "__main__":
    sys.stdin.read()
    if birth(int(sys.argv[1])) == sys.argv[2]:
        end_family(int(sys.argv[1]), signal.SIGKILL)
        shutil.rmtree(sys.argv[3], ignore_errors=True)
