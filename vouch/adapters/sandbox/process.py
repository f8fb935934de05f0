"""One parsing child, watched while it works: it answers within its limits or it is ended."""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from vouch.adapters.sandbox.frames import BadFrame, Incoming, Message, frame
from vouch.adapters.sandbox.limits import POLL_S, Ended, Killed, ParsingLimits, TooLarge, TooSlow, Watch
from vouch.adapters.sandbox.parsed_chunks import MOST_BODY
from vouch.errors import Unavailable

_MODULE = "vouch.adapters.sandbox.child"
_STARVED = re.compile("MemoryError|memory allocation|bad_alloc|out of memory|cannot allocate", re.IGNORECASE)
_START_S = 60.0


class Child:
    """A fresh process, ready for documents. Raises Unavailable if it does not come up.

    It gets no environment but the places of modules, no descriptors but its
    two pipes, and a session of its own, so that Ctrl-C is the parent's matter.
    """

    def __init__(self, limits: ParsingLimits, model: Path | None) -> None:
        self._limits = limits
        self.served = 0
        try:
            self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long
            self._process = _start(self._said)
        except OSError as error:
            raise _not_started(error) from error
        self.watch = Watch(self._process.pid, limits)
        try:
            greeting = {"limits": asdict(limits), "model": str(model) if model else None}
            self.watch.start(_START_S)
            header, _ = self._exchange(frame(greeting))
            if header != {"ready": True}:
                raise BadFrame("no greeting")
        except BaseException as error:
            self._reap()
            words = self._words().strip().splitlines()
            self.end()
            if not isinstance(error, Ended | BadFrame):
                raise
            raise _not_started(words[-1] if words else error) from error

    def ask(self, header: dict[str, Any], data: bytes) -> Message:
        """The answer. Raises TooSlow, TooLarge, Ended or BadFrame; the child is then of no more use."""
        self.served += 1
        self.watch.start()
        answer = self._exchange(frame({**header, "number": self.served}, data))
        if answer[0].get("number") != self.served:
            raise BadFrame("the answer to another question")
        if answer[0].get("memory"):
            raise TooLarge
        return answer

    def end(self) -> None:
        """Afterwards the process is gone."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._reap()
        self._said.close()

    def _reap(self) -> None:
        if self._process.returncode is None:
            self._process.kill()        # it may have closed its pipe without ending
            self._process.wait()

    def _exchange(self, message: bytes) -> Message:
        assert self._process.stdin is not None and self._process.stdout is not None
        rest, incoming = memoryview(message), Incoming(MOST_BODY)
        with selectors.DefaultSelector() as pipes:
            pipes.register(self._process.stdin.fileno(), selectors.EVENT_WRITE)
            pipes.register(self._process.stdout.fileno(), selectors.EVENT_READ)
            while True:
                for key, events in pipes.select(POLL_S):
                    if events & selectors.EVENT_WRITE:
                        rest = rest[self._write(key.fd, rest) :]
                        if not rest:
                            pipes.unregister(key.fd)
                    else:
                        block = os.read(key.fd, 1 << 20)
                        if not block:
                            raise self._death()
                        answer = incoming.feed(block)
                        if answer is not None:
                            return answer
                self.watch.check()

    def _write(self, handle: int, data: memoryview) -> int:
        try:
            return os.write(handle, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise self._death() from None

    def _death(self) -> Ended:
        """How it ended, as far as that can be told."""
        self._reap()
        code = self._process.returncode
        if code == -signal.SIGXCPU:
            return TooSlow()
        if self.watch.most_mb > 0.9 * self._limits.memory_mb or _STARVED.search(self._words()):
            return TooLarge()
        if code == -signal.SIGKILL:
            return Killed()
        return Ended(signal.Signals(-code).name if code < 0 else f"exit code {code}")

    def _words(self) -> str:
        """The last of what it said on standard error."""
        length = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, length - 10_000))
        return self._said.read().decode(errors="replace")


def _not_started(reason: object) -> Unavailable:
    cause = f"documents cannot be parsed: {reason}"
    return Unavailable(cause, cure="check that vouch is completely installed, and that memory and disk space are left")


def _start(said: IO[bytes]) -> "subprocess.Popen[bytes]":
    places = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path if entry)
    process = subprocess.Popen(
        [sys.executable, "-P", "-B", "-m", _MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        bufsize=0,
        cwd="/",
        env={
            **{name: os.environ[name] for name in ("LD_LIBRARY_PATH", "PYTHONHOME") if name in os.environ},
            "PYTHONPATH": places,
            "LC_ALL": "C.UTF-8",
            "TOKENIZERS_PARALLELISM": "false",
            "OMP_NUM_THREADS": "1",     # numpy would set aside memory for each thread
            "OPENBLAS_NUM_THREADS": "1",
            "MALLOC_ARENA_MAX": "1",
        },
        start_new_session=True,
    )
    assert process.stdin is not None
    os.set_blocking(process.stdin.fileno(), False)
    return process
