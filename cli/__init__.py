"""The `vouch` command."""

import sys
from types import TracebackType


def _in_one_line(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A Ctrl-C while the command is still being loaded, before `run` can catch it."""
    if issubclass(kind, KeyboardInterrupt) and "--debug" not in sys.argv[1:]:
        print("error: interrupted\n  try: run the command again: nothing was done yet", file=sys.stderr)  # noqa: T201
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _in_one_line
