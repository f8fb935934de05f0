"""What a person presses: single keys at a terminal, lines where standard input is something else."""

import os
import sys
import termios
import tty
from collections.abc import Generator

_ESCAPE, _END = "\x1b", "\x04"


def keys() -> Generator[str]:
    """Each key as soon as it is pressed; without a terminal each line. It ends with the input, or with Ctrl-D.

    What no letter stands for, as an arrow, is an empty key. The terminal is as it was before once this is closed.
    """
    if not sys.stdin.isatty():
        for line in sys.stdin:
            yield line.strip()
        return
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle, termios.TCSADRAIN)
        while typed := os.read(handle, 1024).decode(errors="replace"):
            if typed.startswith(_ESCAPE):
                yield ""
                continue
            for key in typed:
                if key == _END:
                    return
                yield key
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
