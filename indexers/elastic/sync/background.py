"""Work beside a process that the process does not wait for long when it ends; another one goes on with it."""

import atexit
import threading
from collections.abc import Callable
from contextlib import suppress

LINGER_S = 10.0


def beside(name: str, work: Callable[[Callable[[], bool]], None]) -> threading.Thread:
    """A thread that does `work`, which asks what it is given whether to go on.

    The end of the process waits `LINGER_S` for it and then cuts it off, in the middle of a request if need be: what it
    leaves behind must be fit for that.
    """
    leaving = threading.Event()

    def linger() -> None:
        with suppress(KeyboardInterrupt):
            thread.join(LINGER_S)
        leaving.set()

    def run() -> None:
        try:
            work(lambda: not leaving.is_set())
        finally:
            atexit.unregister(linger)

    thread = threading.Thread(target=run, name=name, daemon=True)
    atexit.register(linger)
    thread.start()
    return thread
