"""Hears from the log how far questions are that other processes answer."""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from vouch.errors import BadMessage, VouchError
from vouch.messages import BEST_EFFORT, QuestionProgress, decode
from vouch.ports.log import Follower

TOPICS = BEST_EFFORT
_LOOK_S, _PAUSE_S = 0.2, 5.0
_log = logging.getLogger(__name__)


class Heard:
    """Progress off the log, as far as it comes: an outage of the log costs messages and raises nothing."""

    def __init__(self, follow: Callable[[], Follower]) -> None:
        """`follow` begins to read what arrives on TOPICS."""
        self._open = follow
        self._follower: Follower | None = None

    def begin(self) -> bool:
        """Whether it hears what comes from now on."""
        try:
            self._follower = self._follower or self._open()
        except VouchError as error:
            _log.info("stages are not followed: %s", error)
        return self._follower is not None

    def next(self, timeout_s: float) -> QuestionProgress | None:
        if self._follower is None:
            return None
        try:
            record = self._follower.poll(timeout_s)
            message = None if record is None else decode(record.topic, record.value)
        except BadMessage:
            return None
        except VouchError as error:
            _log.info("stages are not followed: %s", error)
            self.close()
            return None
        return message if isinstance(message, QuestionProgress) else None

    def close(self) -> None:
        follower, self._follower = self._follower, None
        if follower is not None:
            with suppress(VouchError):
                follower.close()


def keep_hearing(heard: Heard, tell: Callable[[QuestionProgress], object], stop: threading.Event) -> None:
    """Until `stop` is set; begins again after an outage."""
    while not stop.is_set():
        if not heard.begin():
            stop.wait(_PAUSE_S)
        elif (message := heard.next(_LOOK_S)) is not None:
            tell(message)
    heard.close()
