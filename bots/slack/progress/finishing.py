"""What of a question is in its thread already, and how the message with its stages becomes its answer.

Until that call the message holds no word of the answer, and after it the
question's id too: so whoever goes on after a crash can tell, and nobody sees
half an answer, or two.
"""

import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack.api import Pace, SlackApi, refused_for
from bots.slack.place import Place, answer_in, payload_of
from bots.slack.progress.cards import ended, is_of
from vouch.errors import BadInput, Conflict, Denied, SurfaceDown, VouchError


@dataclass(frozen=True, slots=True)
class Seen:
    """`unfinished`: messages that show its stages and no answer, newest first."""

    answer: Mapping[str, Any] | None
    unfinished: tuple[Mapping[str, Any], ...]

    @property
    def answered(self) -> bool:
        return self.answer is not None


def look(api: SlackApi, place: Place, question_id: str, since: float | None = None, known: str = "") -> Seen:
    """Of what was posted in the thread after `since`, in seconds of the epoch. Raises SurfaceDown.

    The message at `known` shows the question's stages, whatever Slack tells of its cards.
    """
    arguments: dict[str, Any] = {
        "channel": place.channel, "ts": place.thread_ts, "limit": 200, "include_all_metadata": True,
    }  # fmt: skip
    if since is not None:
        arguments["oldest"] = f"{since:.6f}"
    try:
        rows = list(api.pages("conversations.replies", "messages", **arguments))
    except Denied:                      # the channel or the thread is gone, and so is whatever was in it
        return Seen(answer=None, unfinished=())
    own = [row for row in rows if row.get("user") == api.me["user_id"]]
    mine = [row for row in own if row.get("ts") == known or is_of(question_id, row)]
    asked = [row for row in own if payload_of(row).get("question_id") == question_id]
    answer = next((row for row in [*asked, *mine] if answer_in(row)), None)
    unfinished = [row for row in mine if not payload_of(row) and not answer_in(row)]
    return Seen(answer, tuple(sorted(unfinished, key=lambda row: str(row["ts"]), reverse=True)))


Posted = Mapping[str, Any]
STOP, UPDATE, DELETE = "chat.stopStream", "chat.update", "chat.delete"
_log = logging.getLogger(__name__)


class ShownStages:
    """Of the thread that a question was asked in. Threads may share it."""

    def __init__(self, api: SlackApi, pace: Pace) -> None:
        self._api = api
        self._pace = pace
        self._ended: deque[str] = deque(maxlen=100)     # messages that are not streamed any more

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
        if posted["ts"] not in self._ended:
            try:
                return self._tried(STOP, **where, **final, chunks=ended(posted, well=well))
            except Conflict:            # it took too long, or its bot gave it up
                self._ended.append(posted["ts"])        # where Slack is slow, the next try comes in time
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
