"""One moving line on standard error that says what a command is doing, and how far it is.

It is there from the first moment on, and gone when the work ends. Whatever
else is printed takes it away, until the work tells of itself again. Where
standard error is no terminal there is none, but long work may print lines.
"""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from bots.wrapping import cells
from cli.terminal.progress_lines import ProgressLines, kind_of
from flows.shared.reporting import Progress, silent
from vouch.adapters.printable import printable

EVERY_S = 0.1
_TELLS_AFTER_S = 2.0                    # before that, nobody knows how long the rest takes
_BAR = 24
_FINE = ("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "━", "─")
_PLAIN = ("|/-\\", "#", ".")
_now: "list[Activity]" = []              # the one that is drawn, if any


class Activity:
    """The moving line at a terminal, which a thread of its own draws ten times a second."""

    def __init__(self, stream: TextIO, text: str) -> None:
        self.lock = threading.RLock()
        self._stream, self._stage, self._done, self._total = stream, text, 0, 0
        self._began = self._ticks = 0
        self._since = time.monotonic()
        self._drawn = self._hidden = False
        self._over = threading.Event()
        encoding = (getattr(stream, "encoding", "") or "").lower()
        self._glyphs = _FINE if encoding.startswith("utf") else _PLAIN
        self._thread = threading.Thread(target=self._keep, name="activity", daemon=True)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Shows how far the work is; `total` is 0 if nobody knows how much there is."""
        with self.lock:
            if total != self._total or done < self._done or kind_of(stage) != kind_of(self._stage):
                self._since, self._began = time.monotonic(), done   # each kind of work has a pace of its own
            self._stage, self._done, self._total, self._hidden = stage, done, total, False

    def begin(self) -> None:
        self._draw()
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()
        self.away()

    def away(self) -> None:
        """Removes the line from the screen until the next progress is reported."""
        with self.lock:
            self._hidden = True
            if self._drawn:
                self._stream.write("\r\x1b[K")
                self._stream.flush()
                self._drawn = False

    def _keep(self) -> None:
        while not self._over.wait(EVERY_S):
            self._draw()

    def _draw(self) -> None:
        with self.lock:
            if self._hidden:
                return
            self._ticks += 1
            self._stream.write(f"\r{self._line()}\x1b[K")
            self._stream.flush()
            self._drawn = True

    def _line(self) -> str:
        moving, full, rest = self._glyphs
        text = f"{moving[self._ticks % len(moving)]} {printable(self._stage)}"
        if self._total:
            share = min(self._done / self._total, 1.0)
            filled = int(share * _BAR)
            text += f"  {full * filled}{rest * (_BAR - filled)} {int(share * 100):3} %{self._left()}"
        room = shutil.get_terminal_size().columns - 1
        while cells(text) > room:
            text = text[:-1]
        return text

    def _left(self) -> str:
        spent, came = time.monotonic() - self._since, self._done - self._began
        if came <= 0 or spent < _TELLS_AFTER_S:
            return ""
        seconds = spent * (self._total - self._done) / came
        return f"  {seconds / 60:.0f} min left" if seconds >= 90 else f"  {seconds:.0f} s left"


class _Beside:
    """A stream that shares the terminal with the moving line there is now, if any: a logger may keep it for long."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        activity = _now[-1] if _now else None
        if activity is None:
            return self._stream.write(text)
        with activity.lock:
            activity.away()
            return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def progress(text: str, *, lines: bool = False) -> Iterator[Progress]:
    """Shows `text`, and then the progress that is reported, while the work lasts.

    Where no line can move nothing is shown or, with `lines`, a plain line now and then.
    """
    if _now or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield ProgressLines() if lines and not _now else silent
        return
    activity, out, err = Activity(sys.stderr, text), sys.stdout, sys.stderr
    sys.stderr = _Beside(err)
    if out.isatty():
        sys.stdout = _Beside(out)
    _now.append(activity)
    activity.begin()
    try:
        yield activity.tell
    finally:
        activity.end()
        _now.remove(activity)
        sys.stdout, sys.stderr = out, err


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """The same for work that reports no progress."""
    with progress(text):
        yield
