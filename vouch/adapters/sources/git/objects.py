"""The blobs of a git repository by id, from two `git cat-file` processes that are kept open.

An answer costs a round trip to a process that runs already, about a tenth of a
millisecond, where starting git anew for each would cost several. Sizes come from a process of
their own, so that a blob too large to read is never read.
"""

import resource
import subprocess
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from vouch.adapters.sources.git.command import Enclosed, git_command, git_environment, no_git, reading
from vouch.errors import Unavailable

MOST_BYTES = 2 * 1024**3                # of memory for one git; some objects can be made to need without end


class GitObjects:
    """Threads may share it. The processes end with it, and with this process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place: Enclosed | None = None             # as the processes found it
        self._open: dict[str, subprocess.Popen[bytes]] = {}
        self._turn = threading.Lock()

    def size(self, blob: str) -> int:
        """Bytes of the blob. Raises Unavailable if the repository does not hold it."""
        with self._turn, self._answer("--batch-check", blob) as (_, size):
            return size

    def read(self, blob: str) -> bytes:
        """Raises Unavailable if the repository does not hold it."""
        with self._turn, self._answer("--batch", blob) as (stream, size):
            data = stream.read(size + 1)
            if len(data) != size + 1:
                raise self._away(f"blob {blob} ended early")
            return data[:-1]

    @contextmanager
    def _answer(self, kind: str, blob: str) -> Iterator[tuple[IO[bytes], int]]:
        """The stream and the blob's size. Whatever goes wrong ends the process: no answer may be left in the pipe."""
        try:
            with reading(self._path, links=False) as repository:
                process = self._process(kind, repository)
                assert process.stdin is not None and process.stdout is not None
                process.stdin.write(f"{blob}\n".encode())
                process.stdin.flush()
                answer = process.stdout.readline().decode(errors="backslashreplace").split()
                if len(answer) != 3 or answer[:2] != [blob, "blob"]:
                    raise self._away(" ".join(answer) or f"git ended when asked for blob {blob}")
                yield process.stdout, int(answer[2])
        except BaseException as error:
            self._end(kind)
            if isinstance(error, OSError):
                raise self._away(str(error)) from error
            raise

    def _process(self, kind: str, place: Enclosed) -> subprocess.Popen[bytes]:
        if place != self._place:
            for running in list(self._open):
                self._end(running)
            self._place = place
        process = self._open.get(kind)
        if process is None or process.poll() is not None:
            try:
                process = subprocess.Popen(
                    git_command(place, "cat-file", kind), env=git_environment(place), cwd="/", stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise no_git(error) from error
            bound(process)
            self._open[kind] = process
            weakref.finalize(self, _end, process)
        return process

    def _end(self, kind: str) -> None:
        process = self._open.pop(kind, None)
        if process is not None:
            _end(process)

    def _away(self, reason: str) -> Unavailable:
        cure = "fetch what is missing (a partial clone lacks blobs), or look with: git fsck"
        return Unavailable(f"{self._path}: {reason}", cure=cure)


def bound(process: subprocess.Popen[bytes]) -> None:
    """Takes at most MOST_BYTES of memory from here on, where the system has that. Mapped pack files do not count."""
    with suppress(AttributeError, OSError):     # not Linux, or ended already
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
