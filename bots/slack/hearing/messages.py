"""What people say and change, and the threads that vouch answers in. What raises here Slack tells again.

What is told again is known by its channel and `ts`, which every delivery and both events of a message share; the id of
an event would not tell that two events are one message.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from bots.slack.addressing import calls_by_name
from bots.slack.api import SlackApi
from bots.slack.channels.thread_gate import asks_on
from bots.slack.ephemeral import to_be_told
from bots.slack.hearing.asking import ASKS_HOW, NAMED_NO_MORE, NO_FILES, NOT_ALONE, TOO_LONG, Asking
from bots.slack.how_to_ask import HELP
from bots.slack.place import Place, payload_of, question_id
from bots.slack.questions import (
    AS_IT_IS,
    How,
    before_and_after,
    changed_at,
    is_change,
    moment,
    said_by_person,
)
from bots.slack.reading import mentions
from vouch.adapters.ledger import NewNotice
from vouch.errors import BadInput, Denied
from vouch.messages import LONGEST_QUESTION

_MOST_KEPT = 10_000
_NO_COUNTS_S = 2.0


class JoinedThreads:
    """Slack knows it; what it says is remembered, a no only for a while. Threads may share it."""

    def __init__(self, api: SlackApi, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._clock = clock
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()    # until when it is a no; infinite: a yes
        self._awaited: OrderedDict[tuple[str, str], str] = OrderedDict()    # the question an answer comes to
        self._lock = threading.Lock()

    def join(self, channel: str, thread_ts: str) -> None:
        self._remember((channel, thread_ts), float("-inf"))

    def awaits(self, channel: str, thread_ts: str, question_id: str) -> None:
        """Once the question is answered there, the thread is joined."""
        with self._lock:
            self._awaited[channel, thread_ts] = question_id
            while len(self._awaited) > _MOST_KEPT:
                self._awaited.popitem(last=False)

    def awaited(self, channel: str, thread_ts: str) -> str:
        with self._lock:
            return self._awaited.get((channel, thread_ts), "")

    def joined(self, channel: str, thread_ts: str) -> bool:
        """Raises SurfaceDown."""
        key = channel, thread_ts
        with self._lock:
            no_until = self._known.get(key)
        if no_until is not None and (no_until == float("-inf") or self._clock() < no_until):
            return no_until == float("-inf")
        found = self._look(channel, thread_ts)
        self._remember(key, float("-inf") if found else self._clock() + _NO_COUNTS_S)
        return found

    def _look(self, channel: str, thread_ts: str) -> bool:
        try:
            told = self._api.pages("conversations.replies", "messages", channel=channel, ts=thread_ts, limit=1000,
                                   include_all_metadata=True)
            return any(one.get("user") == self._api.me["user_id"] and payload_of(one) for one in told)
        except Denied:
            return False

    def _remember(self, key: tuple[str, str], until: float) -> None:
        with self._lock:
            self._known[key] = until
            self._known.move_to_end(key)
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)


class Known(Protocol):
    """What the ledger has of questions. Threads may share it."""

    def is_done(self, question_id: str) -> bool:
        """Whether it was answered, taken back, or refused."""
        ...

    def refuse(self, question_id: str, told: NewNotice) -> None:
        """From now on it is done, without an answer, and somebody is told so. Nobody is told twice."""
        ...

    def change(self, question_id: str, text: str | None, how: How, at: datetime, told: NewNotice | None = None) -> bool:
        """Keeps other words of a question while it waits, None for none. False where that changes nothing.

        `told` is to be told where it is taken back.
        """
        ...

    def with_human(self, thread: str, person: str) -> bool:
        """Whether this person asked for a human in this thread within a day, or is that human, and it is not done."""
        ...


@dataclass(frozen=True)
class Hearing:
    asking: Asking
    threads: JoinedThreads
    known: Known

    def said(self, event: Mapping[str, Any]) -> None:
        """A message, or that it mentions the app, or both: the second is the same question."""
        if is_change(event):
            self._changed(event)
            return
        if not said_by_person(event) or event["user"] == self.asking.me or not self._is_for_me(event):
            return
        user, place = str(event["user"]), self._place(event)
        if self.known.is_done(question_id(place, str(event["ts"]))):
            return
        text, how, refusal = self._understood(event)
        if refusal:
            self._refused(event, place, f"{NO_FILES} {refusal}" if event.get("files") else refusal)
            return
        if self.asking.rules.settings(place.channel).ephemeral:
            place = replace(place, thread_ts=str(event.get("thread_ts") or ""), only=user)
        elif self._is_addressed(event):     # else it is joined once an answer is there, and not by a decline
            self.threads.join(place.channel, place.thread_ts)
        try:
            self.asking.ask(place, str(event["ts"]), text, user, moment(str(event["ts"])), how,
                            addressed=self._is_addressed(event), team=str(event.get("user_team") or ""),
                            followed=not self._is_twin(event))
        except Denied:
            self._refused(event, place, NOT_ALONE)
            return
        if not place.only and not self._is_addressed(event):
            self.threads.awaits(place.channel, place.thread_ts, question_id(place, str(event["ts"])))
        if event.get("files") and not self._is_twin(event):
            named = question_id(place, str(event["ts"]))
            self.asking.tell_later(to_be_told("files", place, named, user, NO_FILES))

    def _changed(self, event: Mapping[str, Any]) -> None:
        """A question has the words of now until somebody begins to answer it; deleted, or none any more, it is none.

        Nor is it one once it does not name vouch any more: as a question that does its words may go to the web.
        Whatever person's message it is, its change is kept: it may have been a question, or have been asked by others.
        """
        was, now = before_and_after(event)
        if was is None or was["user"] == self.asking.me:
            return
        place, text, how, refusal = self._place(was), "", AS_IT_IS, ""
        if now is not None and self._is_addressed(was) and not self._is_addressed(now):
            refusal = NAMED_NO_MORE
        elif now is not None and self._is_for_me(now, new=False):
            text, how, refusal = self._understood(now)
            text = "" if refusal else text
        named, asked = question_id(place, str(was["ts"])), self._is_for_me(was, new=False)
        told = to_be_told("taken_back", place, named, str(was["user"]), refusal) if refusal and asked else None
        if self.known.change(named, text or None, how, changed_at(event), told) and not text:
            self.asking.following.progress.over(named)
            if asked:
                self.asking.aside(lambda: self._no_status(place))

    def _place(self, event: Mapping[str, Any]) -> Place:
        root = str(event.get("thread_ts") or event["ts"])
        return Place(str(self.asking.api.me["team_id"]), str(event["channel"]), root)

    def _understood(self, event: Mapping[str, Any]) -> tuple[str, How, str]:
        """Words of a question and how it is to be answered; or in the last place why it may not be asked here."""
        rules, channel = self.asking.rules, str(event["channel"])
        settings = rules.settings(channel)
        try:
            rest, how = self.asking.narrowed(settings, channel, str(event["user"]), str(event.get("text") or ""))
        except BadInput as error:
            return "", AS_IT_IS, f"I did not ask this: {error.cause}. Try again: {error.cure}"
        text = self.asking.words(rest, str(event["user"]), channel)
        if text.lower() in ASKS_HOW:
            return "", AS_IT_IS, HELP
        if len(text) > LONGEST_QUESTION:
            return "", AS_IT_IS, TOO_LONG.format(most=LONGEST_QUESTION)
        refusal = rules.may_not_ask(settings, str(event["user"]))
        return ("", AS_IT_IS, refusal) if refusal else (text, how, "")

    def _refused(self, event: Mapping[str, Any], place: Place, why: str) -> None:
        if event["type"] == "app_mention" or event.get("channel_type") == "im" or self._is_called(event):
            # once, of its two events
            named = question_id(place, str(event["ts"]))
            self.known.refuse(named, to_be_told("refused", place, named, str(event["user"]), why))

    def _is_twin(self, event: Mapping[str, Any]) -> bool:
        """Of a mention. That it is worked on is shown once, by whoever is told of it as one, as the same message may
        also come to another bot."""
        return event["type"] == "message" and event.get("channel_type") in ("channel", "group") \
            and mentions(str(event.get("text") or ""), self.asking.me)

    def _is_addressed(self, event: Mapping[str, Any]) -> bool:
        return event["type"] == "app_mention" or event.get("channel_type") == "im" \
            or mentions(str(event.get("text") or ""), self.asking.me) or self._is_called(event)

    def _is_called(self, event: Mapping[str, Any]) -> bool:
        """By its name in plain letters, which comes as one event alone."""
        text = str(event.get("text") or "")
        return calls_by_name(text) and not mentions(text, self.asking.me)

    def _is_for_me(self, event: Mapping[str, Any], *, new: bool = True) -> bool:
        """Not `new`: it was said before, and a human who was asked for since takes nothing back."""
        if self._is_addressed(event):
            return True
        text, thread = str(event.get("text") or ""), event.get("thread_ts")
        if self.asking.rules.answers_unasked(event):
            return True
        if not thread or not asks_on(text):
            return False
        place = Place(str(self.asking.api.me["team_id"]), str(event["channel"]), str(thread))
        if not self._is_joined(place):
            return False
        return not (new and self.known.with_human(place.thread, self.asking.people.asker(str(event["user"]))))

    def _is_joined(self, place: Place) -> bool:
        """Or will be, as far as anybody can tell: the question there is not answered yet."""
        awaited = self.threads.awaited(place.channel, place.thread_ts)
        open_still = awaited != "" and not self.known.is_done(awaited)
        return open_still or self.threads.joined(place.channel, place.thread_ts)

    def _no_status(self, place: Place) -> None:
        self.asking.api.call("assistant.threads.setStatus", channel_id=place.channel, thread_ts=place.thread_ts,
                             status="")
