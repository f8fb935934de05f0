"""How a process that runs for good is told to end."""

import signal
import threading


def stop_on_signals(stop: threading.Event) -> None:
    """SIGTERM and SIGINT set `stop`: the work in hand is finished, then everything is left in order."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
