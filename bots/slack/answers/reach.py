"""Which answers a press may be about, and whether their question is still there."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack.api import NoMessage, SlackApi
from bots.slack.identity.people import People
from bots.slack.place import SURFACE
from bots.slack.questions import Asked
from vouch.errors import Denied, NotFound

_SAID = re.compile(r"[0-9]{1,12}\.[0-9]{1,8}")
_AGAIN = re.compile(r"(?:privately|share)\.([0-9A-Za-z]{1,64})(?:\.[A-Z0-9]{1,40})?(?:\.[0-9]{1,3})?")


@dataclass(frozen=True)
class AnswersInReach:
    """`question_of` tells an answer's question, or raises NotFound."""

    api: SlackApi
    people: People
    question_of: Callable[[str], Asked]

    def asked(self, user: str, answer_id: str, channel: str) -> Asked:
        """The question of an answer that this person may press about in this channel.

        Raises NotFound for somebody else's of another channel: a button says whatever its sender makes it say.
        """
        asked = self.question_of(answer_id)
        here = asked.id.split(":", 3)[:3] == [SURFACE, str(self.api.me["team_id"]), channel]
        if not here and not self._is_of(user, asked):
            raise NotFound("somebody else asked the question, elsewhere")
        return asked

    def is_deleted(self, user: str, asked: Asked) -> bool:
        """Whether the message that was asked first is gone.

        Where Slack tells nobody, only whoever asked it gets it back.
        """
        first = asked
        while again := _AGAIN.fullmatch(first.id.rpartition(":")[2]):
            first = self.question_of(again[1])
        if not is_said(first.id):
            return False
        try:
            return said(self.api, first.id) is None
        except Denied:
            return not self._is_of(user, first)

    def _is_of(self, user: str, asked: Asked) -> bool:
        return asked.asker == self.people.voter(user)


def is_said(question_id: str) -> bool:
    """Whether the question is a message in Slack."""
    return question_id.startswith(f"{SURFACE}:") and _SAID.fullmatch(question_id.rpartition(":")[2]) is not None


def is_noise(question_id: str, answer: Mapping[str, Any], *, unasked: bool) -> bool:
    """People said it to one another, and there is no answer that anybody there could want."""
    return unasked and answer["action"] == "declined" and is_said(question_id)


def said(api: SlackApi, question_id: str) -> Mapping[str, Any] | None:
    """The message that the question is; None once it was deleted. Raises Denied, SurfaceDown."""
    _, _, channel, ts = question_id.split(":", 3)
    try:
        told = api.call("conversations.replies", channel=channel, ts=ts, oldest=ts, latest=ts, inclusive=True, limit=1)
    except NoMessage:
        return None
    return next((one for one in told["messages"] if one.get("ts") == ts and one.get("subtype") != "tombstone"), None)


def asker_of(api: SlackApi, question_id: str) -> str:
    """Who wrote the message that the question is; empty for one that is no message, or is deleted. Raises as `said`."""
    message = said(api, question_id) if is_said(question_id) else None
    return str((message or {}).get("user") or "")
