"""Which answers a press may be about, and whether their question is still there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack.answers.still_said import StillSaid, said
from bots.slack.api import SlackApi
from bots.slack.identity.people import People
from bots.slack.place import SLACK, is_said
from bots.slack.questions import Asked
from vouch.answering.answer import REMOVED
from vouch.errors import NotFound


@dataclass(frozen=True)
class AnswersInReach:
    """`question_of` tells an answer's question, or raises NotFound."""

    api: SlackApi
    people: People
    still: StillSaid
    question_of: Callable[[str], Asked]

    def asked(self, user: str, answer_id: str, channel: str) -> Asked:
        """The question of an answer that this person may press about in this channel.

        Raises NotFound for somebody else's of another channel: a button says whatever its sender makes it say.
        """
        asked = self.question_of(answer_id)
        here = asked.id.split(":", 3)[:3] == [SLACK, str(self.api.me["team_id"]), channel]
        if not here and not self._is_of(user, asked):
            raise NotFound("somebody else asked the question, elsewhere")
        return asked

    def is_gone(self, user: str, asked: Asked) -> bool:
        """Whether a message that it has words of is deleted, or says something else now.

        Where Slack tells nobody, only whoever asked it gets it back.
        """
        untold = not self._is_of(user, asked)
        return asked.text == REMOVED or any(self.still.is_gone(one, untold=untold) for one in asked.words_of)

    def is_hidden(self, user: str, asked: Asked) -> bool:
        """As `is_gone`, for this person to see how it was answered: what they themselves edited, they may."""
        untold = not self._is_of(user, asked) or asked.text == REMOVED
        return any(self.still.is_gone(one, untold=untold, but_by=user) for one in asked.words_of)

    def _is_of(self, user: str, asked: Asked) -> bool:
        return asked.asker == self.people.asker(user)


def is_noise(question_id: str, answer: Mapping[str, Any], *, unasked: bool) -> bool:
    """People said it to one another, and there is no answer that anybody there could want."""
    return unasked and answer["action"] == "declined" and is_said(question_id)


def asker_of(api: SlackApi, question_id: str) -> str:
    """Who wrote the message that the question is; empty for one that is no message, or is deleted. Raises as `said`."""
    message = said(api, question_id) if is_said(question_id) else None
    return str((message or {}).get("user") or "")
