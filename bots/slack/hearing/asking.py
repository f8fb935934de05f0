"""Questions go on the log, however people ask them, and whoever asked hears at once that somebody looks."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol

from bots.slack.addressing import without_name
from bots.slack.answers.reach import AnswersInReach
from bots.slack.answers.sharing import private_name
from bots.slack.api import OddRefusal, SlackApi
from bots.slack.channels.rules import FOR_ONE, ChannelRules
from bots.slack.ephemeral import show, to_be_told
from bots.slack.how_to_ask import HELP
from bots.slack.identity.membership import is_member
from bots.slack.identity.people import SOMEBODY, People
from bots.slack.place import Place, is_own, question_id
from bots.slack.questions import AS_IT_IS, Asked, How, moment, question
from bots.slack.reading import words
from vouch.adapters.ledger import NewNotice
from vouch.errors import BadInput, Denied, VouchError
from vouch.messages import LONGEST_QUESTION, Message
from vouch.plurals import count
from vouch.ports.surface import UNSET, ChannelSettings


class Progress(Protocol):
    """All of it may be lost without harm."""

    def heard(self, question_id: str, place: Place, user: str, team: str) -> None:
        """Called before the log has the question."""
        ...

    def taken(self) -> None:
        """The log has what was heard."""
        ...

    def unheard(self, question_id: str) -> None:
        """It has not."""
        ...

    def over(self, question_id: str) -> None:
        """No answer comes: what was shown goes away."""
        ...


@dataclass(frozen=True)
class Following:
    """`is_done` tells of a question whether it was answered, taken back, or refused; `has_failed`, of such a one, that
    something went wrong, so that nobody has an answer; `was_declined`, that there was none to give to whoever asked, if
    that was somebody else than named."""

    progress: Progress
    is_done: Callable[[str], bool]
    has_failed: Callable[[str], bool] = lambda _: False
    was_declined: Callable[[str, str], bool] = lambda *_: False

    @contextmanager
    def of(self, question_id: str, place: Place, user: str, team: str) -> Iterator[None]:
        """In it the log is given the question. What was answered before is not followed again."""
        if self.was_done(question_id):
            yield
            return
        self.progress.heard(question_id, place, user, team or place.team)
        try:
            yield
        except BaseException:
            self.progress.unheard(question_id)
            raise
        self.progress.taken()

    def was_done(self, question_id: str) -> bool:
        """No where nobody can tell now: the question itself does not wait for that."""
        try:
            return self.is_done(question_id)
        except VouchError:
            return False

    def name_of(self, place: Place, name: str, by: str = "") -> tuple[str, bool]:
        """What it is asked under now, and whether it has its answer: what failed is asked anew, under another name.

        So is what was declined, as whoever reads there may have come to read more since, or be others. What all there
        read is asked anew by each person once: a decline that `by` themselves brought about is an answer to them.
        """
        for again in ("", *(f".{number}" for number in range(2, _MOST_TIMES))):
            id_ = question_id(place, f"{name}{again}")
            if not self.was_done(id_):
                return f"{name}{again}", False
            if not self.has_failed(id_) and not self.was_declined(id_, by):
                break
        return f"{name}{again}", True


TOO_LONG = "This question has more than {most:,} characters, which is as many as I take. Please ask a shorter one."
ASKS_HOW = ("", "help")
NO_FILES = "I do not read attached files."
NO_WORDS = "This message has no words that I could look up."
OWN_WORDS = ("I wrote this message myself, so I do not ask its words: they may be of documents. Ask in your own words:"
             " mention me in a channel, or write me a direct message.")
LOOKING = "I am looking. The answer comes as a direct message, for you alone."
ANSWERED = "I have answered this for you: look at your direct messages with me."
ANSWERED_THERE = ("I have answered this there already, for everybody who was there. For an answer of now, ask it there"
                  " again.")
NAMED_NO_MORE = "You took my name out of this question, so I do not answer it. Mention me to ask it."
GONE_SINCE = "The message was deleted or changed since, or I may not look at it now, so I do not answer it again."
NOT_ALONE = "Slack does not let me write to you alone. Ask me in a channel where everybody reads the answers."
_MOST_TIMES = 1000
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Asking:
    """`send` returns once the log has the message. `rules` are those of channels. `aside` runs what may be lost
    without harm, later. `tell_later` returns once the ledger has what is to be told, which is not lost.
    """

    api: SlackApi
    people: People
    send: Callable[[Message], object]
    reach: AnswersInReach
    aside: Callable[[Callable[[], object]], object]
    tell_later: Callable[[NewNotice], object]
    clock: Callable[[], datetime]
    time_to_answer: timedelta
    rules: ChannelRules
    following: Following

    def commanded(self, command: Mapping[str, Any]) -> str:
        """What the person is told at once. The answer comes as a direct message, which nobody else reads."""
        try:
            rest, how = self.narrowed(UNSET, str(command["channel_id"]), str(command["user_id"]),
                                      str(command.get("text") or ""))
        except BadInput as error:
            return f"I did not ask this: {error.cause}. Try again: {error.cure}"
        text = self.words(rest, str(command["user_id"]), str(command["channel_id"]))
        if text.lower() in ASKS_HOW:
            return HELP
        if len(text) > LONGEST_QUESTION:
            return TOO_LONG.format(most=LONGEST_QUESTION)
        user = str(command["user_id"])
        try:
            place = self._direct(user)
        except Denied:
            return NOT_ALONE
        self.ask(place, f"command.{str(command['trigger_id'])[:80]}", text, user, self.clock(), how)
        return LOOKING

    def privately(self, user: str, answer_id: str, channel: str, at: datetime) -> str:
        """The question is asked again for this person alone, with this person's rights; no answer is copied.

        Raises NotFound for an answer that is not in reach.
        """
        asked = self.reach.asked(user, answer_id, channel)
        if self.reach.is_gone(user, asked):
            return GONE_SINCE
        try:
            place = self._direct(user)
        except Denied:
            return NOT_ALONE
        name, done = self.following.name_of(place, private_name(asked.id, answer_id, user))
        if not done:
            self.ask(place, name, asked.text, user, at, asked.how, addressed=asked.outside, words_of=asked.messages)
        return ANSWERED if done else LOOKING

    def asked_for_all(self, place: Place, name: str, asked: Asked, user: str, at: datetime, team: str = "") -> str:
        """Everybody in that conversation will read the answer. Why not, as the channel is set now, or as they have it
        already; or empty."""
        settings = self.rules.settings(place.channel)
        if settings.ephemeral:
            return FOR_ONE
        refusal = self.rules.may_not_ask(settings, user)
        if refusal:
            return refusal
        name, done = self.following.name_of(place, name, self.people.asker(user))
        if done:
            return ANSWERED_THERE
        how = replace(asked.how, filters=asked.how.filters.within(settings.sources))
        self.ask(place, name, asked.text, user, at, how, addressed=asked.outside, team=team, words_of=asked.messages)
        return ""

    def about(self, shortcut: Mapping[str, Any]) -> None:
        """The words of a message are asked for the person who chose it, alone. They may be somebody else's, but not
        vouch's own: as a question, words of documents would outlive the right to read them."""
        user, message = str(shortcut["user"]["id"]), shortcut["message"]
        text = self.words(str(message.get("text") or ""), user, str(shortcut["channel"]["id"]))
        edited = str((message.get("edited") or {}).get("ts") or "")     # other words are another question
        name = ".".join(filter(None, ("about", str(shortcut["channel"]["id"]), str(message["ts"]), user, edited)))
        chosen = Place(str(self.api.me["team_id"]), str(shortcut["channel"]["id"]), str(message.get("thread_ts") or ""))
        try:
            place = self._direct(user)
        except Denied:
            self.tell_later(self._told(shortcut, chosen, name, user, NOT_ALONE))
            return
        refusal = self._no_question(message, text)
        if refusal:
            self.tell_later(self._told(shortcut, place, name, user, refusal))
            return
        name, done = self.following.name_of(place, name)
        if not done:
            self.ask(place, name, text, user, moment(str(shortcut["action_ts"])), AS_IT_IS, addressed=False,
                     words_of=(question_id(chosen, str(message["ts"])),))
        self.aside(lambda: self._tell_there_or_here(chosen, place, name, user, ANSWERED if done else LOOKING))

    def _no_question(self, message: Mapping[str, Any], text: str) -> str:
        if is_own(self.api.me, message):
            return OWN_WORDS
        if not text:
            return NO_WORDS
        return TOO_LONG.format(most=LONGEST_QUESTION) if len(text) > LONGEST_QUESTION else ""

    @staticmethod
    def _told(shortcut: Mapping[str, Any], place: Place, name: str, user: str, text: str) -> NewNotice:
        """Each time that it is chosen."""
        return to_be_told(f"about.{str(shortcut['trigger_id'])[:80]}", place, question_id(place, name), user, text)

    def _tell_there_or_here(self, there: Place, here: Place, name: str, user: str, text: str) -> None:
        """Where the person is, or where the app may write: it need not be in each conversation."""
        try:
            self.tell(there, name, user, text)
        except Denied:
            self.tell(here, name, user, text)

    def ask(
        self, place: Place, name: str, text: str, user: str, asked_at: datetime, how: How, *,
        addressed: bool = True, team: str = "", followed: bool = True, words_of: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """For one person alone the readers are those of the conversation that this person alone has with vouch.

        `followed`: whoever asked is shown that somebody looks, and told if it takes too long. `team` is theirs.
        Raises Denied where Slack does not let vouch write to that person.
        """
        asked = question(
            place, name, text, self.people.asker(user), asked_at, self.clock() + self.time_to_answer,
            addressed=addressed, read_in=self._direct(user) if place.only else None, how=how, words_of=words_of,
        )
        with self.following.of(asked.id, place, user, team) if followed else nullcontext():
            self.send(asked)
        _log.info("slack: question %s, %s", asked.id, count(len(text), "character"))

    def words(self, text: str, user: str, channel: str) -> str:
        """What a message asks. Raises SurfaceDown where Slack does not tell who is named, as it is down."""
        return without_name(words(text, self.me, self._names(user, channel)))

    def narrowed(self, settings: ChannelSettings, channel: str, user: str, text: str) -> tuple[str, How]:
        """As the channel's rules say, for one who asks. Raises BadInput."""
        return self.rules.narrowed(settings, channel, text, self._names(user, channel), partial(self._sees, user))

    def _names(self, user: str, channel: str) -> Callable[[str], str]:
        """What `user` is told accounts are called.

        Whoever may read no more than anybody does not learn by an account's id who it is, but of those in the channel.
        """
        def name(account: str) -> str:
            known = self.people.is_known(user) or is_member(self.api, account, channel)
            try:
                return self.people.name(account) if known else SOMEBODY
            except OddRefusal:          # of somebody who is only named: the question does not wait for it
                return SOMEBODY

        return name

    def _sees(self, user: str, channel: str) -> bool:
        """An open channel: whoever may read no more than anybody, such as a guest, sees those that they are in."""
        return self.people.is_known(user) or is_member(self.api, user, channel)

    def tell(self, place: Place, name: str, user: str, text: str) -> None:
        """One person, who alone sees it, of the question of that name."""
        show(self.api, place, question_id(place, name), user, text)

    @property
    def me(self) -> str:
        return str(self.api.me["user_id"])

    def _direct(self, user: str) -> Place:
        """The conversation of this person and the app. Raises Denied where Slack opens none, for whatever reason."""
        try:
            opened = self.api.call("conversations.open", users=user)["channel"]
        except OddRefusal as error:
            raise Denied(error.cause, cure=error.cure) from error
        return Place(str(self.api.me["team_id"]), str(opened["id"]))
