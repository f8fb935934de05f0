"""What a person sees by opening the app, and what `/vouch why` tells."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bots.slack.api import SlackApi
from bots.slack.identity.people import People
from bots.slack.personal.views import WHAT_CAN_YOU_DO, Recent, home_view, passage_place, trace_text
from vouch.adapters.ledger import SentAnswer
from vouch.answering.answer_text import UNSURE, only_nearest
from vouch.errors import NotFound, SurfaceDown, VouchError
from vouch.values.candidate import Passage

WHY = re.compile(r"why(?:\s+(\S+))?", re.IGNORECASE)
_ID = re.compile(r"[0-9a-z]{6,200}")
NO_ID = "Write /vouch why and the id that stands in the small print of an answer to you."
LOOKING_UP = "I am looking it up."
NOT_NOW = "This cannot be looked up now. Please try again in a minute."
_UNKNOWN = ("There is no answer with this id to a question of yours, its message was deleted, or changed by somebody"
            " else, or you may not read any more what it cites.")
_RECENT = 5
_HIDDEN = "not shown any more: its documents have changed, or you may not read them"
_OUTCOMES = {"answered": "answered", "answered_with_caution": "answered with caution", "declined": "not answered",
             "replied": "replied"}


class Looked(Protocol):
    """A passage that was looked at for an answer."""

    @property
    def passage(self) -> Passage: ...

    @property
    def row(self) -> Mapping[str, Any]: ...


class Look(Protocol):
    """Each call decides anew what may be shown."""

    def recent(self, asker: str, rights: str, limit: int) -> Sequence[tuple[SentAnswer, bool]]: ...

    def trace(self, asker: str, rights: str, named: str) -> tuple[Mapping[str, Any], Sequence[Looked]] | None: ...

    def readable(self, rights: str) -> Mapping[str, int]: ...

    def knows(self, rights: str) -> bool: ...


@dataclass(frozen=True)
class Personal:
    """`is_gone` tells whether the message of an answer's question is deleted or changed, here to this person;
    `is_hidden`, whether it is deleted, or somebody else has changed it. `questions` are suggested to everybody."""

    api: SlackApi
    people: People
    look: Callable[[], Look]            # opens what it needs when it is first called
    is_gone: Callable[[str, str], bool]
    is_hidden: Callable[[str, str], bool]
    questions: Sequence[str] = ()

    def home(self, user: str) -> None:
        """The home tab as it is for this person now."""
        rights = self.people.tag(user)
        readable: Mapping[str, int] | None = None
        recent: list[Recent] = []
        known = True
        if rights is not None:
            try:
                known = self.look().knows(rights)
                readable = self.look().readable(rights)
                answers = self.look().recent(self.people.voter(user), rights, _RECENT)
                recent = [_recent(sent, shown) for sent, shown in answers
                          if self._is_there(self.is_gone, user, str(sent.body["id"]))]
            except VouchError:
                readable = None
        self.api.call("views.publish", user_id=user, view=home_view(readable, recent, known=known))

    @staticmethod
    def _is_there(is_gone: Callable[[str, str], bool], user: str, answer_id: str) -> bool:
        """Yes where Slack cannot tell now: the person asked it, and is shown it anew each time."""
        try:
            return not is_gone(user, answer_id)
        except SurfaceDown:
            return True
        except NotFound:                # emptied since
            return False

    def prompts(self, channel: str) -> None:
        """At the top of the messages tab."""
        self.api.call("assistant.threads.setSuggestedPrompts", channel_id=channel, title="Ask me, for example",
                      prompts=[*({"title": one, "message": one} for one in self.questions), dict(WHAT_CAN_YOU_DO)])

    def why(self, user: str, written: str) -> str:
        """How the person's own question was answered. Raises Unavailable where nobody can tell now."""
        answer_id = written.lower()
        rights = self.people.tag(user)
        trace = None if rights is None else self.look().trace(self.people.voter(user), rights, answer_id)
        if trace is None or not self._is_there(self.is_hidden, user, str(trace[0]["id"])):
            return _UNKNOWN
        body, looked = trace
        ordered = sorted(looked, key=lambda seen: seen.row.get("position") or 10_000)
        return trace_text(body, [
            (passage_place(seen.passage.source, seen.passage.path, seen.passage.title, seen.passage.section),
             seen.row.get("probability"), bool(seen.row["cited"])) for seen in ordered
        ])  # fmt: skip


def names_no_answer(written: str) -> bool:
    return _ID.fullmatch(written.lower()) is None


def _recent(sent: SentAnswer, shown: bool) -> Recent:
    if not shown:
        return sent.question.text, _HIDDEN, ""
    answer = str(sent.body["answer"])
    if only_nearest(answer):
        return sent.question.text, "nearest passages only", answer.removeprefix(UNSURE)
    return sent.question.text, _OUTCOMES.get(str(sent.body["action"]), "answered"), answer
