"""The process that takes documents apart, one after the other, until its input ends.

It is given documents and nothing else: no environment, no descriptors, no
files to write. Parsers are imported when a document needs them.
"""

import contextlib
import os
import resource
import signal
from pathlib import Path
from typing import Any

from vouch.adapters.sandbox.frames import frame, receive, send
from vouch.adapters.sandbox.limits import ParsingLimits, memory_mb
from vouch.errors import Unreadable

_MAPPED_MB = 32                         # of files, such as libraries, which that bound does not count
_MOST_SAID = 100_000                    # bytes on standard error; no other file is open for writing
_SPARE = 2                              # seconds; the parent ends a child at its limit, this ends an orphan


def main() -> None:
    questions, answers = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)                       # what a parser prints must not get among the answers
    greeting = receive(questions)
    if greeting is None:
        return
    limits = ParsingLimits(**greeting[0]["limits"])
    _confine(limits)
    work = _Work(Path(greeting[0]["model"]) if greeting[0]["model"] else None, limits)
    send(answers, frame({"ready": True}))
    while (message := receive(questions)) is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        end = int(used.ru_utime + used.ru_stime + limits.seconds) + _SPARE
        resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))
        answer, sound = work.answer(*message)
        del message
        send(answers, answer)
        if not sound:
            return


def _confine(limits: ParsingLimits) -> None:
    """Memory is bounded where it is asked for, so that a sudden large request cannot outrun the parent's watch."""
    most = (limits.memory_mb - _MAPPED_MB) * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_SAID, _MOST_SAID))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):  # where the kernel must end a process, let it be this one
        Path("/proc/self/oom_score_adj").write_bytes(b"1000")


class _Work:
    def __init__(self, model: Path | None, limits: ParsingLimits) -> None:
        self._model = model
        self._limits = limits
        self._tokenizer: Any = None

    def answer(self, header: dict[str, Any], data: bytes) -> tuple[bytes, bool]:
        """The reply, and whether this process may go on after it."""
        try:
            return self._answer(header, data), True
        except MemoryError:
            return frame({"number": header["number"], "memory": True}), False

    def _answer(self, header: dict[str, Any], data: bytes) -> bytes:
        from vouch.adapters.models.tokenizer import load_tokenizer
        from vouch.adapters.sandbox.parsed_chunks import pack, pack_refusal, take_apart
        from vouch.documents.document import Content

        self._tokenizer = self._tokenizer or load_tokenizer(self._model)
        size, overlap = header["size"], header["overlap"]
        content = Content(header["path"], data, "", encoding=header["encoding"])
        try:
            parsed = take_apart("", content, self._tokenizer, size=size, overlap=overlap, limits=self._limits,
                                profile=header["profile"])
            return pack(parsed, header["number"])
        except Unreadable as error:
            if memory_mb()[1] > 0.9 * self._limits.memory_mb:
                raise MemoryError from error    # lxml, for one, calls it a mistake in the document
            return pack_refusal(error, header["number"])


if __name__ == "__main__":
    main()
