"""A Ctrl-C in the middle of a step waits a moment for it: torch aborts a process that ends while it computes."""

import os
import signal
import threading
import time

import pytest

from vouch.correction.planning.limits import within


def test_a_step_that_runs_is_waited_for_and_the_interrupt_goes_on() -> None:
    ended = threading.Event()

    def work() -> None:
        time.sleep(0.2)                 # until it is waited for
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        within(30.0, work)
    assert ended.is_set()
