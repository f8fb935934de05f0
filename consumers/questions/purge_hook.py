"""What a running process lets go of when documents are purged."""

from collections.abc import Callable
from datetime import datetime


def after_purge(latest: Callable[[], datetime | None], forget: Callable[[], None]) -> Callable[[], None]:
    """To be called when another version is served: calls `forget` if a purge was asked for since the last time.

    `latest` says when the newest purge was asked for.
    """
    known = latest()

    def moved() -> None:
        nonlocal known
        newest = latest()
        if newest != known:
            forget()
            known = newest

    return moved
