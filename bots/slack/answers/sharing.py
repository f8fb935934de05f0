"""A private answer is shared by asking anew for everybody in the conversation: no word of it is copied."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bots.slack.answers.reach import AnswersInReach
from bots.slack.answers.still_said import said
from bots.slack.api import OddRefusal, SlackApi
from bots.slack.identity.membership import is_member
from bots.slack.place import Place, is_said
from bots.slack.questions import Asked
from vouch.errors import Denied, NotFound

SHARED = "I am answering it anew for everybody there. What one of them may not read is left out."
NOT_THERE = "You are not in the conversation that this was asked in."
NOWHERE = "The question that this answers is no longer there to be answered for others."
UNTOLD = "Slack does not let me look at that conversation now, so it is not shared. Try again later."
_PRIVATE = re.compile(r"privately\.([0-9A-Za-z]{1,64})\.([A-Z0-9]{1,40})(?:\.[0-9]{1,3})?")

Ask = Callable[[Place, str, Asked, str, datetime, str], str]
"""Place, name, question, user, when, and the user's team: why it may not be asked there; empty once the log has it."""


@dataclass(frozen=True)
class Sharing:
    api: SlackApi
    reach: AnswersInReach
    ask: Ask

    def share(self, user: str, answer_id: str, at: datetime, team: str = "") -> str:
        """What the person is told. Whoever presses twice asks once, and so do several people of one answer."""
        try:
            return self._shared(user, answer_id, at, team)
        except OddRefusal:
            return UNTOLD

    def _shared(self, user: str, answer_id: str, at: datetime, team: str) -> str:
        try:
            answered = _PRIVATE.fullmatch(self.reach.question_of(answer_id).id.rpartition(":")[2])
            if answered is None or answered[2] != user:
                return NOWHERE
            place, asked = self._origin(user, answered[1])
        except (NotFound, Denied):
            return NOWHERE
        if not is_member(self.api, user, place.channel):
            return NOT_THERE
        return self.ask(place, f"share.{answered[1]}", asked, user, at, team) or SHARED

    def _origin(self, user: str, answer_id: str) -> tuple[Place, Asked]:
        """Where the question was asked first, with its words and filters. Raises NotFound, Denied."""
        asked = self.reach.question_of(answer_id)
        if not _is_said_to_others(asked.id):
            raise NotFound("the question was no message in a conversation")
        _, team, channel, ts = asked.id.split(":", 3)
        message = said(self.api, asked.id)
        if message is None or self.reach.is_gone(user, asked):
            raise NotFound("the question was deleted or changed")
        return Place(team, channel, str(message.get("thread_ts") or ts)), asked


def private_name(question_id: str, answer_id: str, user: str) -> str:
    """What this person's private question about that answer of this question is called: by it `may_be_shared` tells."""
    return f"{'privately' if _is_said_to_others(question_id) else 'alone'}.{answer_id}.{user}"


def may_be_shared(question_id: str) -> bool:
    """Whether the question was asked in private again, and is first a message to others."""
    return _PRIVATE.fullmatch(question_id.rpartition(":")[2]) is not None


def _is_said_to_others(question_id: str) -> bool:
    return is_said(question_id) and not question_id.split(":", 3)[2].startswith("D")
