"""What the steps of a question may cost, and a tool that does not come back in time."""

import contextvars
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from vouch.errors import TimedOut

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """As the settings say, which have the same defaults; a test compares the two."""

    steps: int = 8
    seconds: float = 20.0               # of all steps, with the judging of what they find
    searches: int = 8
    tool_seconds: float = 8.0           # of one search, or one order
    by_default: int = 0                 # steps of a question whose asker says nothing of them
    open_seconds: float = 4.0
    web_searches: int = 2               # further ones, after the first with the whole question
    web_seconds: float = 15.0           # of all of them
    taken: int = 0                      # of the steps, in documents, by another run of the same question
    web_taken: int = 0                  # of those on the web: the two tell one another nothing

    def of(self, tool: str) -> float:
        """What one call of it may take."""
        return self.open_seconds if tool == "open" else self.tool_seconds


_LAST_S = 5.0                           # that a Ctrl-C waits for what runs


class PluginEnded(Exception):
    """A plug-in tried to end the program: it raised what is no Exception, such as SystemExit."""


class _Call(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self.done = threading.Event()
        self.result: T | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.result = self._work()
        except Exception as error:      # it is raised again where somebody waits
            self.error = error
        except BaseException as error:  # a plug-in's SystemExit ends its own thread, and not the process that waits
            self.error = PluginEnded(type(error).__name__).with_traceback(error.__traceback__)
        finally:
            self.done.set()


def within(seconds: float | None, work: Callable[[], T]) -> T | None:
    """What it gives; None: it keeps its time by itself. Raises TimedOut; the thread of a tool that hangs is left to
    itself.

    Raises PluginEnded in the place of SystemExit and its like. Where no time is left the work is not begun.
    """
    if seconds is not None and seconds <= 0:
        raise TimedOut("the time of all steps is used up", cure="VOUCH_STEPS__SECONDS and __WEB_SECONDS set how long")
    call = _Call(work)
    inside = contextvars.copy_context()
    threading.Thread(target=inside.run, args=(call.run,), name="step", daemon=True).start()
    try:
        in_time = call.done.wait(seconds)
    except KeyboardInterrupt:           # torch aborts a process that ends while a thread of it computes
        call.done.wait(_LAST_S)
        raise
    if not in_time:
        raise TimedOut(f"a tool took longer than {seconds:.1f} s",
                       cure="VOUCH_STEPS__TOOL_SECONDS and __OPEN_SECONDS set how long")
    if call.error is not None:
        raise call.error
    return call.result
