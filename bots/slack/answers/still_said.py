"""Whether the words of a question still stand where they were said. The bot may have been away when they went."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bots.slack.api import NoMessage, OddRefusal, SlackApi
from bots.slack.place import is_own, is_said
from bots.slack.questions import moment
from vouch.errors import Denied
from vouch.messages import QuestionAsked

_ROUNDED = timedelta(seconds=1)         # moments of edits may be whole seconds


@dataclass(frozen=True)
class StillSaid:
    """`heard` tells when that message changed last, as far as the ledger knows."""

    api: SlackApi
    heard: Callable[[str], datetime | None]

    def is_gone(self, question: QuestionAsked, *, untold: bool, but_by: str = "") -> bool:
        """Whether a message with its words was deleted, or edited otherwise than the ledger knows, or is an answer.

        `untold`: what counts where Slack tells nobody. Edits by the account `but_by` do not count. Raises SurfaceDown.
        """
        try:
            return any(self._is_gone(name, question, but_by) for name in question.messages if is_said(name))
        except (Denied, OddRefusal):        # of that conversation alone: nobody's question waits for it
            return untold

    def _is_gone(self, name: str, question: QuestionAsked, but_by: str) -> bool:
        message = said(self.api, name)
        if message is None or is_own(self.api.me, message):     # words of documents are nobody's question
            return True
        edited = str((message.get("edited") or {}).get("ts") or "")
        if not edited or message.get("user") == but_by:
            return False
        if question.words_of:
            return moment(edited) + _ROUNDED > question.asked_at
        heard = self.heard(name)
        return heard is None or heard < moment(edited)


def said(api: SlackApi, question_id: str) -> Mapping[str, Any] | None:
    """The message that the question is; None once it was deleted. Raises Denied, SurfaceDown."""
    _, _, channel, ts = question_id.split(":", 3)
    try:
        told = api.call("conversations.replies", channel=channel, ts=ts, oldest=ts, latest=ts, inclusive=True, limit=1)
    except NoMessage:
        return None
    return next((one for one in told["messages"] if one.get("ts") == ts and one.get("subtype") != "tombstone"), None)
