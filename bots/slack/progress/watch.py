"""Follows the log for the questions that this bot has heard, and shows how far they are."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from bots.slack.api import Pace
from bots.slack.place import SLACK, Place
from bots.slack.progress.showing import APPEND, START, Showing
from bots.slack.progress.watched import Step, Watched, next_step
from vouch.errors import BadMessage, VouchError
from vouch.messages import AnswerReady, QuestionProgress, decode
from vouch.ports.log import Follower

TOPICS = ("vouch.progress", "answers")
_MOST = 1_000                           # questions
_LOOK_S, _PAUSE_S = 0.1, 10.0
_log = logging.getLogger(__name__)
Aside = Callable[[Callable[[], object]], object]


class ProgressWatch:
    """One thread follows the log; what is to be shown is done aside, a status `soon`. Threads may share it."""

    def __init__(
        self, showing: Showing, pace: Pace, follow: Callable[[], Follower],
        aside: Aside, soon: Aside, *, time_to_answer: float, streams: bool,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        """`follow` begins to read what arrives on TOPICS. Without `streams`, a status is all that is shown."""
        self._showing = showing
        self._pace = pace
        self._follow = follow
        self._aside = aside
        self._soon = soon
        self._patience = time_to_answer
        self._streams = streams
        self._monotonic = monotonic
        self._watched: OrderedDict[str, Watched] = OrderedDict()
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="slack progress", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def heard(self, question_id: str, place: Place, user: str, team: str) -> None:
        """Before the log has the question, as what follows may be quick. A question is watched once."""
        with self._lock:
            if question_id not in self._watched:
                until = self._monotonic() + self._patience
                self._watched[question_id] = Watched(question_id, place, user, team, until)
            while len(self._watched) > _MOST:
                self._watched.popitem(last=False)

    def taken(self) -> None:
        """The log has what was heard: it is shown at once that somebody looks."""
        self._tend()

    def unheard(self, question_id: str) -> None:
        with self._lock:
            self._watched.pop(question_id, None)

    def over(self, question_id: str) -> None:
        with self._lock:
            if question_id in self._watched:
                self._watched[question_id].over = True

    def _run(self) -> None:
        follower: Follower | None = None
        while not self._stop.is_set():
            try:
                follower = follower or self._followed()
                record = follower.poll(_LOOK_S)
                if record is not None:
                    self._take(record.topic, record.value)
            except VouchError as error:
                _log.info("slack: stages are not followed for %.0f s: %s", _PAUSE_S, error)
                _closed(follower)
                follower = None
                self._stop.wait(_PAUSE_S)
                self._check_all()
            self._tend()
        _closed(follower)

    def _followed(self) -> Follower:
        """What was answered while nobody followed is looked up."""
        follower = self._follow()
        self._check_all()
        return follower

    def _check_all(self) -> None:
        """Slack is asked for the answers that the log may have told of meanwhile."""
        with self._lock:
            for one in self._watched.values():
                one.check = True

    def _take(self, topic: str, value: bytes) -> None:
        try:
            message = decode(topic, value)
        except BadMessage:
            return
        if not isinstance(message, QuestionProgress | AnswerReady) or message.surface != SLACK:
            return
        with self._lock:
            watched = self._watched.get(message.question_id)
            if watched is None:
                return
            if isinstance(message, AnswerReady):
                watched.over = True
            elif message.newer(watched.newest):
                watched.since = watched.since or self._monotonic()
                watched.newest = message

    def _tend(self) -> None:
        starts, appends, now = self._streams and self._pace.free(START), self._pace.free(APPEND), self._monotonic()
        with self._lock:
            for one in self._watched.values():
                step = next_step(one, now, may_start=starts, may_append=appends)
                if step is not None:
                    one.busy = True
                    with suppress(RuntimeError):    # the bot ends, and takes no more work
                        run = self._soon if step in (Step.TELL, Step.STATUS) else self._aside
                        run(partial(self._work, step, one))

    def _work(self, step: Step, one: Watched) -> None:
        done = False
        try:
            done = self._showing.do(step, one)
        finally:
            with self._lock:
                one.busy = False
                if done:
                    self._watched.pop(one.question_id, None)


def _closed(follower: Follower | None) -> None:
    if follower is not None:
        with suppress(VouchError):
            follower.close()
