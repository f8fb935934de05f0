"""What is written into a thread while its question is worked on: a status, then cards in a message that is streamed."""

from collections.abc import Callable, Mapping
from time import monotonic as _monotonic
from typing import Any

from bots.slack.api import Pace, SlackApi, refused_for
from bots.slack.ephemeral import show
from bots.slack.progress.cards import TITLE, cards, changes
from bots.slack.progress.finishing import DELETE, STOP, Seen, look
from bots.slack.progress.watched import FIRST_STATUS, Step, Watched
from vouch.errors import BadInput, Conflict, Denied, VouchError

START, APPEND, STATUS = "chat.startStream", "chat.appendStream", "assistant.threads.setStatus"
LOADING = ("Searching what everybody here may read", "Reading the closest passages", "Checking each citation")
LATE = "This takes longer than it should. The answer, or why there is none, comes in its thread. Question {id}."
TOLD = "I am looking. Only you will see the answer."
LATE_ALONE = "This takes longer than it should. The answer, or why there is none, comes here. Question {id}."
_AGAIN_S, _MOST_FAILURES = 5.0, 5
_JUST_NOW_S = 20.0


class Showing:
    """One call at a time for each question. All methods raise VouchError."""

    def __init__(
        self, api: SlackApi, pace: Pace, is_over: Callable[[str], bool],
        became_answer: Callable[[str, Mapping[str, Any]], object], monotonic: Callable[[], float] = _monotonic,
    ) -> None:
        """`is_over` tells of a question's id whether nothing more comes: its answer was sent or given up, or it needs
        none any more; another bot may have heard so. `became_answer` is told of a message with stages that is an answer
        by now, and its channel."""
        self._api = api
        self._is_over = is_over
        self._became_answer = became_answer
        self._pace = pace
        self._monotonic = monotonic

    def do(self, step: Step, one: Watched) -> bool:
        """Whether the question need not be watched any more."""
        match step:
            case Step.TELL:
                one.status = TOLD
                self._tell(one, TOLD)
            case Step.STATUS:
                self._status(one, one.wanted_status())
            case Step.START:
                self._start(one)
            case Step.APPEND:
                self._append(one)
            case Step.CHECK:
                one.over, one.check = self._is_there(one), False
            case Step.TIDY:
                return self._again(one, self._tidy)
            case Step.LATE:
                return self._again(one, self._late)
        return False

    def _status(self, one: Watched, words: str) -> None:
        one.status, one.status_at = words, self._monotonic()
        self._api.call(STATUS, channel_id=one.place.channel, thread_ts=one.place.thread_ts, status=words,
                       loading_messages=list(LOADING) if words == FIRST_STATUS else None)

    def _start(self, one: Watched) -> None:
        assert one.newest is not None
        shown, one.tried = cards(one.newest), True
        try:
            reply = self._api.call(
                START, channel=one.place.channel, thread_ts=one.place.thread_ts, recipient_user_id=one.user,
                recipient_team_id=one.team, task_display_mode="plan",
                chunks=[{"type": "plan_update", "title": TITLE}, *shown.values()],
            )  # fmt: skip
        except VouchError as error:
            wait = refused_for(error)
            one.tried = wait is None and not isinstance(error, Denied | BadInput)
            one.refused = wait is None      # a second one might be the second to be seen
            self._pace.failed(START, error)
            raise
        one.ts, one.shown, one.touched = str(reply["ts"]), shown, self._monotonic()

    def _append(self, one: Watched) -> None:
        assert one.newest is not None
        now = cards(one.newest)
        chunks = changes(now, one.shown) or [now[next(reversed(now))]]
        try:
            self._api.call(APPEND, channel=one.place.channel, ts=one.ts, chunks=chunks)
        except (Conflict, Denied, BadInput):
            one.refused = True              # it has become the answer, or is streamed no more: the status goes on
            one.check = True
            raise
        except VouchError as error:
            self._pace.failed(APPEND, error)
            raise
        one.shown, one.touched = now, self._monotonic()

    def _tidy(self, one: Watched) -> None:
        """Nothing is left but the answer."""
        seen = look(self._api, one.place, one.question_id, known=one.ts) if one.tried else Seen(None, ())
        try:
            if seen.answer and seen.answer["ts"] == (one.ts or seen.answer["ts"]):
                self._became_answer(one.place.channel, seen.answer)
        finally:
            for posted in seen.unfinished:
                self._api.call(DELETE, channel=one.place.channel, ts=posted["ts"])
            if self._monotonic() - one.status_at < _JUST_NOW_S:     # it may have come after the answer
                self._status(one, "")

    def _late(self, one: Watched) -> None:
        if self._is_there(one) or self._is_over(one.question_id):
            return self._tidy(one)
        words = (LATE_ALONE if one.alone else LATE).format(id=one.question_id)
        if one.ts and not one.refused:
            self._api.call(STOP, channel=one.place.channel, ts=one.ts, markdown_text=words)
        else:
            self._tell(one, words)
        return None

    def _tell(self, one: Watched, words: str) -> None:
        show(self._api, one.place, one.question_id, one.user, words)

    def _is_there(self, one: Watched) -> bool:
        """By what Slack shows. Of what one person alone sees it tells nobody: then by the ledger."""
        return self._is_over(one.question_id) if one.alone else look(self._api, one.place, one.question_id).answered

    def _again(self, one: Watched, work: Callable[[Watched], None]) -> bool:
        """True once it has worked, or has failed too often."""
        try:
            work(one)
        except Exception as error:
            one.failures += 1
            one.due = self._monotonic() + (refused_for(error) or _AGAIN_S)
            if one.failures < _MOST_FAILURES:
                raise
        return True
