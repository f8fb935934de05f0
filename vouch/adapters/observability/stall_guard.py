"""Ends a process in which no Python runs any more, as while one call keeps the interpreter's lock for itself.

No thread of Python could notice that: each needs the lock. The standard
library's faulthandler waits in a thread of the system that needs none. It is
put off, again and again, by a thread that does need it.
"""

import faulthandler
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_PER_LIMIT = 10                         # so often is it put off


@contextmanager
def ended_if_stalled(limit_s: float) -> Iterator[None]:
    """Inside, a process whose threads all stand still for `limit_s` ends with status 1, its stacks on standard error.

    The stacks name files, lines and functions, and hold no words. A process
    that the system stopped for so long may end too when it goes on.
    """
    over = threading.Event()

    def put_off() -> None:
        while not over.is_set():
            faulthandler.dump_traceback_later(limit_s, exit=True, file=2)
            over.wait(limit_s / _PER_LIMIT)

    thread = threading.Thread(target=put_off, name="stall", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        faulthandler.cancel_dump_traceback_later()
