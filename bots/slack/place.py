"""Where something is in Slack, its names on the log, and the metadata the app knows its own messages by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vouch.errors import BadInput

SURFACE = "slack"
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
    return f"slack:{place.team}:{place.channel}:{name}"


def direct_beginning(question_id_: str, thread: str | None) -> str:
    """The conversation of a question that was written as a direct message outside a thread; else empty."""
    try:
        place = read_place(thread or "")
    except BadInput:
        return ""
    begins = place.thread_ts and question_id_ == question_id(place, place.thread_ts)
    return place.conversation if begins and place.channel.startswith("D") else ""


EVENT = "vouch_answer"


def metadata(question_id: str, answer_id: str) -> dict[str, Any]:
    return {"event_type": EVENT, "event_payload": {"question_id": question_id, "answer_id": answer_id}}


def payload_of(posted: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question's and the answer's id of a message of this app; empty for any other."""
    found = posted.get("metadata") or {}
    return found.get("event_payload") or {} if found.get("event_type") == EVENT else {}
