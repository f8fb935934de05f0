"""What the terminal is like: how wide, and whether it shows colours."""

import os
import shutil
import sys
from typing import TextIO

from bots.wrapping import Tone

IN_A_PIPE = 100                         # columns that text is wrapped at where there is no terminal
_NARROWEST = 20
_STYLES: dict[Tone, str] = {"strong": "1", "faint": "2", "good": "32", "warning": "33", "bad": "1;31"}


def width() -> int:
    """Columns of the terminal that standard output is."""
    return max(shutil.get_terminal_size().columns, _NARROWEST) if sys.stdout.isatty() else IN_A_PIPE


def coloured(stream: TextIO) -> bool:
    """Whether `stream` is a terminal and colours are wanted (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str, tone: Tone, stream: TextIO) -> str:
    """`text`, which steers nothing, in its tone if `stream` shows any."""
    return f"\x1b[{_STYLES[tone]}m{text}\x1b[0m" if tone and text and coloured(stream) else text
