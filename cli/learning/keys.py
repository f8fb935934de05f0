"""The keys of a person at a terminal, each as soon as it is pressed; without a terminal, lines of standard input."""

import os
import sys
import termios
import tty
from collections import deque
from collections.abc import Iterator
from typing import Any

_ESCAPE, _END = "\x1b", "\x04"


class Keys(Iterator[str]):
    """It ends with the input, or with Ctrl-D. What no letter stands for, as an arrow, is an empty key.

    The terminal is as it was before once this has ended or is closed.
    """

    def __init__(self) -> None:
        self._typed: deque[str] = deque()
        self._handle = sys.stdin.fileno() if sys.stdin.isatty() else None
        self._before: list[Any] | None = None
        if self._handle is not None:
            self._before = termios.tcgetattr(self._handle)
            tty.setcbreak(self._handle, termios.TCSADRAIN)

    def __next__(self) -> str:
        if self._handle is None:
            return next(sys.stdin).strip()
        key = self._next(self._handle) if self._before is not None else _END
        if key == _END:
            self.close()
            raise StopIteration
        return key

    def forget(self) -> None:
        """At a terminal drops what was typed until now: nobody has seen what it would be said of."""
        if self._handle is not None and self._before is not None:
            self._typed.clear()
            termios.tcflush(self._handle, termios.TCIFLUSH)

    def close(self) -> None:
        if self._handle is not None and self._before is not None:
            termios.tcsetattr(self._handle, termios.TCSADRAIN, self._before)
            self._before = None

    def _next(self, handle: int) -> str:
        if not self._typed:
            typed = os.read(handle, 1024).decode(errors="replace")
            if typed.startswith(_ESCAPE):
                return ""
            self._typed.extend(typed or _END)
        return self._typed.popleft()
