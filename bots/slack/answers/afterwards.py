"""What whoever asked is told, alone, after the answer was posted or could not be. Implements Afterwards."""

import re
from collections.abc import Mapping
from typing import Any

from bots.slack.answers.layout import PRIVATELY
from bots.slack.answers.reach import asker_of, is_noise
from bots.slack.answers.source_list import Block
from bots.slack.api import SlackApi
from bots.slack.ephemeral import show
from bots.slack.escaping import plain
from bots.slack.place import Place
from vouch.adapters.ledger import NewNotice, OutboxRow
from vouch.messages import QuestionAsked

MORE_ALONE, NOT_POSTED = "more_alone", "not_posted"
TOLD = ("I cannot answer a question of yours where you asked it: {why}. I can answer it here, for you alone."
        " Question {id}.")
MAYBE = ("My answer to a question of yours may stand where you asked it, or may not: Slack does not let me look there."
         " I can answer it here, for you alone. Question {id}.")
_REASONS = {
    "is_archived": "the conversation is archived",
    "not_in_channel": "I am not in that conversation any more",
    "channel_not_found": "I do not see that conversation any more",
    "user_not_in_channel": "you are not in that conversation any more",
    "restricted_action_thread_locked": "nobody may write in that thread any more",
    "restricted_action_non_threadable_channel": "there are no threads there",
    "restricted_action": "only some people may write there",
    "thread_not_found": "the thread is gone", "message_not_found": "the message is gone",
    "cannot_reply_to_message": "nobody may reply to that message",
}  # fmt: skip
_OTHERWISE = "Slack does not take it there"
_CODE = re.compile(r"(?<![a-z_])[a-z]++(?:_[a-z]++)++")


class SlackAfterwards:
    def sent(self, row: OutboxRow) -> NewNotice | None:
        """A better answer stands in what the asker alone may read of those in the conversation."""
        if not row.answer.get("asker_may_read_more") or "/D" in (row.question.thread or ""):
            return None
        return NewNotice(f"more.{row.question.id}"[:300], MORE_ALONE, {"answer_id": str(row.answer["id"])})

    def failed(self, row: OutboxRow, reason: str, doubt: bool) -> NewNotice | None:
        """Slack refuses the place for good, or, in doubt, a look whether it is there."""
        return NewNotice(f"unposted.{row.question.id}"[:300], NOT_POSTED, {
            "question_id": row.question.id, "answer_id": str(row.answer["id"]), "asker": row.question.asker,
            "why": "" if doubt else why(reason),
        })  # fmt: skip


def why(reason: str) -> str:
    """In plain words, by Slack's word for it."""
    said = _CODE.findall(reason)
    return next((words for code, words in _REASONS.items() if any(one.startswith(code) for one in said)), _OTHERWISE)


def not_posted(question_id: str, answer_id: str, reason: str) -> tuple[list[Block], str]:
    """The question's id and the reason, none in doubt, and not a word of question or answer."""
    told = TOLD.format(why=reason, id=question_id) if reason else MAYBE.format(id=question_id)
    label = {"type": "plain_text", "text": "Answer me privately", "emoji": False}
    button = {"type": "button", "action_id": PRIVATELY, "text": label, "value": answer_id}
    words = {"type": "plain_text", "text": told, "emoji": False}
    return [{"type": "section", "text": words}, {"type": "actions", "elements": [button]}], plain(told)


MORE = "You may read more about this than everybody here. Only you see this message."


def tell_asker(api: SlackApi, place: Place, question: QuestionAsked, answer: Mapping[str, Any]) -> bool:
    """Whether there is somebody to tell. Slack tells nobody whether it arrived: after a lost reply it may come twice.

    Raises SurfaceDown, and Denied where the conversation is gone or the asker has left it.
    """
    user = asker_of(api, question.id)
    if user:
        show(api, place, question.id, user, MORE, blocks=_blocks(str(answer["id"])),
             answered=not is_noise(question.id, answer, unasked=not question.outside))
    return bool(user)


def _blocks(answer_id: str) -> list[Block]:
    words = {"type": "plain_text", "text": MORE, "emoji": False}
    label = {"type": "plain_text", "text": "Answer me privately", "emoji": False}
    button = {"type": "button", "action_id": PRIVATELY, "text": label, "value": answer_id}
    return [{"type": "section", "text": words}, {"type": "actions", "elements": [button]}]
