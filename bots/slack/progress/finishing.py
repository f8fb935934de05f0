"""The message that shows the stages of a question becomes its answer, in one call of Slack.

Until that call the message holds no word of the answer, and after it the
question's id too: so whoever goes on after a crash can tell, and nobody sees
half an answer, or two.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from bots.slack.api import SlackApi
from bots.slack.place import Place
from bots.slack.progress.cards import ended
from bots.slack.progress.looking import look
from bots.slack.progress.pace import Pace, refused_for
from vouch.errors import BadInput, Conflict, Denied, SurfaceDown, VouchError

Posted = Mapping[str, Any]
STOP, UPDATE, DELETE = "chat.stopStream", "chat.update", "chat.delete"
_log = logging.getLogger(__name__)


class ShownStages:
    """Of the thread that a question was asked in. Threads may share it."""

    def __init__(self, api: SlackApi, pace: Pace) -> None:
        self._api = api
        self._pace = pace

    def of(self, place: Place, question_id: str, since: float | None) -> tuple[Posted, ...]:
        """Messages with its stages, newest first. None where Slack does not tell: the answer does not wait for that."""
        try:
            return look(self._api, place, question_id, since).unfinished
        except VouchError as error:
            _log.info("slack: stages are not looked for: %s", error)
            return ()

    def finish(
        self, place: Place, posted: Posted, answer: Mapping[str, Any], fresh: Callable[[], object], *, well: bool
    ) -> bool:
        """Whether the message is the answer now. False: nothing was done, and it has to be posted.

        `answer` is what a post of it would say; `fresh` is asked before each call, and raises where it is too late.
        Raises SurfaceDown where Slack may have done it.
        """
        where = {"channel": place.channel, "ts": posted["ts"]}
        final = {name: answer[name] for name in ("blocks", "metadata")}
        fresh()
        try:
            return self._tried(STOP, **where, **final, chunks=ended(posted, well=well))
        except Conflict:                # it is not streamed any more: it took too long, or its bot gave it up
            fresh()
            return self._tried(UPDATE, **where, **final, text=answer["text"], parse="none", link_names=False)

    def remove(self, place: Place, posted: tuple[Posted, ...]) -> None:
        for one in posted:
            try:
                self._api.call(DELETE, channel=place.channel, ts=one["ts"])
            except VouchError as error:
                _log.info("slack: a message with stages stays: %s", error)

    def _tried(self, method: str, **given: Any) -> bool:
        if not self._pace.free(method):
            return False
        try:
            self._api.call(method, **given)
        except (Denied, BadInput) as error:
            _log.info("slack: the answer is posted by itself: %s", error)
            return False
        except SurfaceDown as error:
            if refused_for(error) is None:
                raise
            self._pace.failed(method, error)
            return False
        return True
