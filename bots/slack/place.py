"""Where something is in Slack, its names on the log, and the metadata the app knows its own messages by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vouch.errors import BadInput

SLACK = "slack"                         # the name of the surface
_PLACE = re.compile(r"([TE][A-Z0-9]{1,40})/([CDG][A-Z0-9]{1,40})(?:/([0-9]{1,12}\.[0-9]{1,8}))?"
                    r"(?:/([UW][A-Z0-9]{1,40}))?")


@dataclass(frozen=True, slots=True)
class Place:
    """A thread of a conversation; the conversation itself where `thread_ts` is empty. `only`: for one account alone."""

    team: str
    channel: str
    thread_ts: str = ""
    only: str = ""

    @property
    def conversation(self) -> str:
        return f"{self.team}/{self.channel}"

    @property
    def thread(self) -> str:
        return "/".join(filter(None, (self.conversation, self.thread_ts, self.only)))


def read_place(text: str) -> Place:
    """The place that `thread` or `conversation` names. Raises BadInput."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise BadInput("the place of a message is none in Slack", cure="ask again in Slack")
    return Place(found[1], found[2], found[3] or "", found[4] or "")


def question_id(place: Place, name: str) -> str:
    """The same for each delivery of the same message, so that it is answered once. `name` is the message's `ts`."""
    return f"{SLACK}:{place.team}:{place.channel}:{name}"


_SAID = re.compile(r"[0-9]{1,12}\.[0-9]{1,8}")


def is_said(question_id_: str) -> bool:
    """Whether the question is a message in Slack."""
    return question_id_.startswith(f"{SLACK}:") and _SAID.fullmatch(question_id_.rpartition(":")[2]) is not None


_ALONE = re.compile(r"command\..{1,80}|[0-9]{1,12}\.[0-9]{1,8}")


def is_thread(thread: str) -> bool:
    """Whether what was asked there belongs together, and did not merely begin at the same place."""
    try:
        return bool(read_place(thread).thread_ts)
    except BadInput:
        return False


def flat_beginning(question_id_: str, thread: str | None) -> str:
    """Where one person alone asks, so that a question may go on from what was asked there a moment ago; else empty.

    That is so of a direct message outside a thread, a command, and a question outside a thread whose answer one person
    alone sees. Words that were asked again, or are another's, go on from nothing.
    """
    try:
        place = read_place(thread or "")
    except BadInput:
        return ""
    name = question_id_.rpartition(":")[2]
    if place.thread_ts:
        begins = question_id_ == question_id(place, place.thread_ts) and place.channel.startswith("D")
        return place.conversation if begins else ""
    alone = place.channel.startswith("D") or place.only
    return place.thread if alone and _ALONE.fullmatch(name) else ""


EVENT = "vouch_answer"


def metadata(question_id: str, answer_id: str) -> dict[str, Any]:
    return {"event_type": EVENT, "event_payload": {"question_id": question_id, "answer_id": answer_id}}


def payload_of(posted: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question's and the answer's id of a message of this app; empty for any other."""
    found = posted.get("metadata") or {}
    return found.get("event_payload") or {} if found.get("event_type") == EVENT else {}


def answer_in(posted: Mapping[str, Any]) -> str:
    """The id of the answer that this message is, also where Slack does not show its metadata: by its buttons to vote.

    Empty for a message that is none.
    """
    told = payload_of(posted).get("answer_id")
    votes = (one for block in posted.get("blocks") or () if block.get("type") == "context_actions"
             for one in block.get("elements") or () if one.get("type") == "feedback_buttons")
    values = (str((one.get("positive_button") or {}).get("value") or "") for one in votes)
    return str(told or next((value.partition(".")[2] for value in values), ""))


def is_own(me: Mapping[str, Any], message: Mapping[str, Any]) -> bool:
    """Whether this app wrote it. `me` is what Slack tells the app of itself."""
    return bool(message.get("user") == me["user_id"] or message.get("bot_id") == me["bot_id"])
