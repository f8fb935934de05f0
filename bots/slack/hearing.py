"""What happens in Slack becomes a message on the log. What raises here is not acknowledged, so Slack tells it again."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bots.slack.api import SlackApi
from bots.slack.joined import JoinedThreads
from bots.slack.layout import DOWN, UP
from bots.slack.people import People
from bots.slack.place import Place
from bots.slack.questions import LONGEST, looks_like_a_question, mentions, moment, question, said_by_person, words
from bots.slack.surface import payload_of
from vouch.errors import Denied, VouchError
from vouch.messages import Category, FeedbackGiven, Message, QuestionAsked
from vouch.wording import count

HELP = ("Ask me a question about your company's documents: mention me in a channel, write me a direct message, or use"
        " /vouch. In a thread that I have answered in, just ask on.")
TOO_LONG = "This question has more than {most:,} characters, which is as many as I take. Please ask a shorter one."
_THUMBS = {"+1": UP, "thumbsup": UP, "-1": DOWN, "thumbsdown": DOWN}
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Hearing:
    """`send` returns once the log has the message; `question_of` tells the question of an answer, or raises NotFound.

    `aside` runs what may be lost without harm, later.
    """

    api: SlackApi
    people: People
    threads: JoinedThreads
    send: Callable[[Message], object]
    question_of: Callable[[str], str]
    aside: Callable[[Callable[[], object]], object]
    clock: Callable[[], datetime]
    time_to_answer: timedelta

    def said(self, event: Mapping[str, Any]) -> None:
        """A message, or that it mentions the app, or both: the second is the same question."""
        if not said_by_person(event) or event["user"] == self._me or not self._is_for_me(event):
            return
        text = words(str(event.get("text") or ""), self._me)
        root = str(event.get("thread_ts") or event["ts"])
        place = Place(str(self.api.me["team_id"]), str(event["channel"]), root)
        if not text or len(text) > LONGEST:
            told = TOO_LONG.format(most=LONGEST) if text else HELP
            self.aside(lambda: self._tell(place, str(event["user"]), told))
            return
        self.threads.join(place.channel, root)
        self._ask(place, str(event["ts"]), text, str(event["user"]), moment(str(event["ts"])),
                  addressed=self._is_addressed(event))
        self.aside(lambda: self._status(place))

    def commanded(self, command: Mapping[str, Any]) -> str:
        """What the person is told at once. The answer comes as a direct message, which nobody else reads."""
        text = words(str(command.get("text") or ""), self._me)
        if not text or text == "help":
            return HELP
        if len(text) > LONGEST:
            return TOO_LONG.format(most=LONGEST)
        user = str(command["user_id"])
        self._ask(self._direct(user), f"command.{str(command['trigger_id'])[:80]}", text, user, self.clock())
        return "I am looking. The answer comes as a direct message, for you alone."

    def privately(self, user: str, answer_id: str) -> str:
        """The question is asked again for this person alone, with this person's rights; no answer is copied."""
        text = self.question_of(answer_id)
        self._ask(self._direct(user), f"privately.{answer_id}.{user}", text, user, self.clock())
        return "I am looking. The answer comes as a direct message, for you alone."

    def voted(self, user: str, value: str, ts: str) -> tuple[str, str]:
        """The answer and the vote that the button stands for, which the log has."""
        vote, _, answer_id = value.partition(".")
        self._vote(answer_id, user, vote, None, moment(ts))
        return answer_id, vote

    def reasoned(self, user: str, answer_id: str, category: Category | None, reason: str) -> None:
        self._vote(answer_id, user, DOWN, reason[:2000] or None, self.clock(), category)

    def reacted(self, event: Mapping[str, Any]) -> None:
        """A thumb on an answer is a vote; any other reaction, and on anything else, is none."""
        vote, item = _THUMBS.get(str(event.get("reaction")).split("::")[0]), event.get("item") or {}
        if vote is None or item.get("type") != "message" or event.get("item_user") != self._me:
            return
        if event.get("user") in (None, self._me):
            return
        answer_id = self._answer_at(str(item["channel"]), str(item["ts"]))
        if answer_id:
            self._vote(answer_id, str(event["user"]), vote, None, moment(str(event["event_ts"])))

    @property
    def _me(self) -> str:
        return str(self.api.me["user_id"])

    def _is_addressed(self, event: Mapping[str, Any]) -> bool:
        return event["type"] == "app_mention" or event.get("channel_type") == "im" \
            or mentions(str(event.get("text") or ""), self._me)

    def _is_for_me(self, event: Mapping[str, Any]) -> bool:
        if self._is_addressed(event):
            return True
        text, thread = str(event.get("text") or ""), event.get("thread_ts")
        return bool(thread) and looks_like_a_question(text) and self.threads.joined(str(event["channel"]), str(thread))

    def _ask(
        self, place: Place, name: str, text: str, user: str, asked_at: datetime, *, addressed: bool = True
    ) -> None:
        asked: QuestionAsked = question(
            place, name, text, self.people.voter(user), asked_at, self.clock() + self.time_to_answer,
            addressed=addressed,
        )
        self.send(asked)
        _log.info("slack: question %s, %s", asked.id, count(len(text), "character"))

    def _direct(self, user: str) -> Place:
        """The conversation of this person and the app."""
        opened = self.api.call("conversations.open", users=user)["channel"]
        return Place(str(self.api.me["team_id"]), str(opened["id"]))

    def _vote(
        self, answer_id: str, user: str, vote: str, reason: str | None, at: datetime, category: Category | None = None
    ) -> None:
        self.send(FeedbackGiven.model_validate({
            "answer_id": answer_id, "person": self.people.voter(user), "vote": vote, "reason": reason, "at": at,
            "category": category,
        }))  # fmt: skip

    def _answer_at(self, channel: str, ts: str) -> str:
        """The id of the answer that this message is; empty for another message."""
        try:
            told = self.api.call("conversations.replies", channel=channel, ts=ts, oldest=ts, latest=ts, inclusive=True,
                                 limit=1, include_all_metadata=True)
        except Denied:
            return ""
        found = [one for one in told["messages"] if one.get("ts") == ts and one.get("user") == self._me]
        return str(payload_of(found[0]).get("answer_id", "")) if found else ""

    def _status(self, place: Place) -> None:
        self.api.call("assistant.threads.setStatus", channel_id=place.channel, thread_ts=place.thread_ts,
                      status="is looking through the documents")

    def _tell(self, place: Place, user: str, text: str) -> None:
        """One person, who alone sees it."""
        self.api.call("chat.postEphemeral", channel=place.channel, user=user, text=text,
                      thread_ts=place.thread_ts or None)


def lost_without_harm(work: Callable[[], object]) -> None:
    """Runs it; a failure is a line in the log."""
    try:
        work()
    except VouchError as error:
        _log.info("slack: left out: %s", error)
