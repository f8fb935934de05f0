"""Votes by buttons and thumbs, and the window that asks why. One that is told again is of the same moment."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bots.slack.answers.layout import DOWN, UP
from bots.slack.answers.reach import AnswersInReach
from bots.slack.api import OddRefusal, SlackApi
from bots.slack.identity.people import People
from bots.slack.place import answer_in
from bots.slack.questions import moment
from vouch.errors import Denied, NotFound, VouchError
from vouch.messages import Category, FeedbackGiven, Message

_THUMBS = {"+1": UP, "thumbsup": UP, "-1": DOWN, "thumbsdown": DOWN}
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Voting:
    """`send` returns once the log has the message. A vote counts where its answer is in reach; else NotFound is raised.
    """

    api: SlackApi
    people: People
    reach: AnswersInReach
    send: Callable[[Message], object]
    clock: Callable[[], datetime]

    def voted(self, user: str, channel: str, value: str, ts: str) -> tuple[str, str]:
        """The answer and the vote that the button stands for, which the log has."""
        vote, _, answer_id = value.partition(".")
        self._vote(answer_id, user, channel, vote, None, moment(ts))
        return answer_id, vote

    def reasoned(self, user: str, kept: str, category: Category | None, reason: str) -> None:
        """`kept`: what the window does."""
        channel, _, answer_id = kept.partition(" ")
        self._vote(answer_id, user, channel, DOWN, reason[:2000] or None, self.clock(), category)

    def reacted(self, event: Mapping[str, Any]) -> None:
        """A person's thumb on an answer is a vote, until it is removed; an app's is none, nor is any other reaction."""
        reaction, item = str(event.get("reaction")), event.get("item") or {}
        me = str(self.api.me["user_id"])
        if not _vote_of(reaction) or item.get("type") != "message" or event.get("item_user") != me:
            return
        if event.get("user") in (None, me):
            return
        channel = str(item["channel"])
        answer_id = self._answer_at(channel, str(item["ts"]), me)
        if answer_id:
            self._thumb(answer_id, str(event["user"]), channel, reaction, moment(str(event["event_ts"])),
                        withdrawn=event.get("type") == "reaction_removed")

    def given_before(self, channel: str, answer: Mapping[str, Any]) -> None:
        """Thumbs under a message that was none of an answer yet. They count from its beginning on: whatever is heard
        of a person otherwise is later."""
        answer_id, at, failed = answer_in(answer), moment(str(answer["ts"])), None
        for user, reaction in _thumbs(answer).items():
            try:
                self._thumb(answer_id, user, channel, reaction, at)
            except OddRefusal:          # of that account alone
                continue
            except VouchError as error:
                failed = failed or error
        if failed:                      # once all others are counted, who count once however often they are told
            raise failed

    def _thumb(
        self, answer_id: str, user: str, channel: str, reaction: str, at: datetime, *, withdrawn: bool = False
    ) -> None:
        vote = _vote_of(reaction)
        if vote and user != self.api.me["user_id"] and not self.people.is_app(user):
            with suppress(NotFound):        # it is no longer kept
                self._vote(answer_id, user, channel, vote, None, at,
                           reaction=reaction[:_LONGEST_NAME], withdrawn=withdrawn)

    def _vote(
        self, answer_id: str, user: str, channel: str, vote: str, reason: str | None, at: datetime,
        category: Category | None = None, *, reaction: str = "", withdrawn: bool = False,
    ) -> None:  # fmt: skip
        self.reach.asked(user, answer_id, channel)
        self.send(FeedbackGiven.model_validate({
            "answer_id": answer_id, "person": self.people.voter(user), "vote": vote, "reason": reason, "at": at,
            "category": category, "reaction": reaction, "withdrawn": withdrawn,
        }))  # fmt: skip

    def _answer_at(self, channel: str, ts: str, me: str) -> str:
        """The id of the answer that this message is; empty for another message."""
        try:
            told = self.api.call("conversations.replies", channel=channel, ts=ts, oldest=ts, latest=ts, inclusive=True,
                                 limit=1, include_all_metadata=True)
        except Denied:
            return ""
        found = [one for one in told["messages"] if one.get("ts") == ts and one.get("user") == me]
        return answer_in(found[0]) if found else ""


def _vote_of(reaction: str) -> str:
    """Empty for one that is no thumb; of any colour."""
    return _THUMBS.get(reaction.split("::")[0], "")


def _thumbs(answer: Mapping[str, Any]) -> dict[str, str]:
    """By account the thumb that it gave. Slack does not tell which of two came last: then neither counts."""
    given: dict[str, set[str]] = defaultdict(set)
    for one in answer.get("reactions") or ():
        for user in one.get("users") or ():
            if _vote_of(str(one.get("name"))):
                given[str(user)].add(str(one["name"]))
    return {user: min(names) for user, names in given.items() if len({*map(_vote_of, names)}) == 1}


_REASONS: Mapping[Category, str] = {
    "wrong": "It is wrong", "outdated": "It is outdated", "not_asked": "It is not what I asked",
    "not_allowed": "It should not have been answered", "other": "Something else",
}  # fmt: skip


def reason_view(callback_id: str, channel: str, answer_id: str) -> dict[str, Any]:
    """Keeps where the button was, the answer's id, and nothing else."""
    return {
        "type": "modal", "callback_id": callback_id, "private_metadata": f"{channel} {answer_id}",
        "title": _plain("Why?"), "submit": _plain("Send"), "close": _plain("Leave it"),
        "blocks": [
            {"type": "input", "block_id": "why", "label": _plain("What was wrong?"), "element": {
                "type": "radio_buttons", "action_id": "why",
                "options": [{"text": _plain(label), "value": value} for value, label in _REASONS.items()]}},
            {"type": "input", "block_id": "words", "optional": True, "label": _plain("In your words"), "element": {
                "type": "plain_text_input", "action_id": "words", "multiline": True, "max_length": 1500}},
        ],
    }  # fmt: skip


def reason_of(view: Mapping[str, Any]) -> tuple[Category | None, str]:
    """What was chosen, and what was written."""
    values = (view.get("state") or {}).get("values") or {}
    chosen = ((values.get("why") or {}).get("why") or {}).get("selected_option") or {}
    written = ((values.get("words") or {}).get("words") or {}).get("value") or ""
    category = next((one for one in _REASONS if one == chosen.get("value")), None)
    return category, " ".join(str(written).split())


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}
