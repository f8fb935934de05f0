"""Work in a process of its own, forked from this one: to be killed, or to die of itself at a step."""

import itertools
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

DIED = 9                                # what a process ends with that died at its step


def fork(job: Callable[[], object]) -> int:
    """The id of a child that does `job` and ends: with 0, or with 1 and what it raised on standard error."""
    sys.stdout.flush()                  # or what waits there would be said twice
    child = os.fork()
    if not child:
        code = 1
        try:
            job()
            sys.stdout.flush()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """Waits for the end of `child`. What it ended with, or minus the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill(child: int) -> bool:
    """Ends `child` by SIGKILL; False if it had ended before."""
    os.kill(child, signal.SIGKILL)
    return ended(child) == -signal.SIGKILL


def finish(job: Callable[[], object]) -> None:
    """Waits for a child that does `job`. Raises SystemExit if it failed."""
    if ended(fork(job)):
        raise SystemExit("a step ended with an error")


def dying(step: int) -> Callable[[Any], Any]:
    """Wraps calls so that the process dies before the step-th of them."""
    count = itertools.count(1)

    def wrap(call: Any) -> Any:
        def wrapped(*arguments: Any, **named: Any) -> Any:
            if next(count) == step:
                os._exit(DIED)
            return call(*arguments, **named)

        return wrapped

    return wrap
