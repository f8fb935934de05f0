"""What people say in Slack, and how they edit or delete it, as questions on the log. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bots.slack.place import SLACK, Place, question_id, read_place
from vouch.filters import EVERYTHING, Filters
from vouch.messages import ConversationAudience, Message, QuestionAsked, key_of


@dataclass(frozen=True, slots=True)
class How:
    """What a question says of how it is to be answered, besides its words."""

    filters: Filters = EVERYTHING
    steps: int | None = None            # None: it says nothing


AS_IT_IS = How()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was answered, to be asked again: as it was understood. Not `outside`: no web search.

    `words_of`: the questions that it has words of, itself first.
    """

    id: str
    text: str
    how: How
    outside: bool
    asker: str                          # as votes name people
    words_of: tuple[QuestionAsked, ...]

    @property
    def messages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for one in self.words_of for name in one.messages))


SPOKEN = (None, "file_share", "thread_broadcast")   # subtypes of what a person says; the others are news of the channel


def said_by_person(event: Mapping[str, Any]) -> bool:
    """Not by an app, this one included, and no edit or deletion."""
    return bool(event.get("user")) and not event.get("bot_id") and not event.get("app_id") \
        and event.get("subtype") in SPOKEN and "edited" not in event


def question(
    place: Place, name: str, text: str, asker: str, asked_at: datetime, deadline: datetime, *, addressed: bool,
    read_in: Place | None = None, how: How = AS_IT_IS, words_of: tuple[str, ...] = (),
) -> QuestionAsked:  # fmt: skip
    """Everybody in the conversation will read the answer, or in `read_in`. `name` tells it from all others there.
    `words_of`: the messages that its words are from, by their ids as questions, if not its own.

    What was not addressed to vouch may be said from one person to another, and never leaves the company.
    """
    return QuestionAsked(
        id=question_id(place, name), text=text, surface=SLACK, asker=asker,
        audience=ConversationAudience(surface=SLACK, conversation=(read_in or place).conversation),
        thread=place.thread, asked_at=asked_at, deadline=deadline, outside=addressed,
        filters=how.filters, steps=how.steps, words_of=words_of,
    )  # fmt: skip


def order_key(message: Message) -> bytes:
    """What one person alone reads the answers of is answered in order, as the next may go on from the one before."""
    if isinstance(message, QuestionAsked) and isinstance(message.audience, ConversationAudience):
        conversation = message.audience.conversation
        if read_place(conversation).channel.startswith("D"):
            return conversation.encode()
    return key_of(message)


def moment(ts: str) -> datetime:
    """Of a message. Raises ValueError."""
    return datetime.fromtimestamp(float(ts), UTC)


CHANGED, DELETED = "message_changed", "message_deleted"


def is_change(event: Mapping[str, Any]) -> bool:
    return event.get("subtype") in (CHANGED, DELETED)


def before_and_after(event: Mapping[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The message as it was and as it is, each as its own event would have told it; None where no person says it.

    What only got a preview, a reaction, or a reply is as it was.
    """
    was = _as_said(event, event.get("previous_message"))
    if event.get("subtype") == DELETED:
        return was, None
    now = _as_said(event, event.get("message"))
    if was is not None and now is not None and was["text"] == now["text"]:
        return None, now
    return was, now


def changed_at(event: Mapping[str, Any]) -> datetime:
    """Of an edit, or of a deletion, which comes after all edits of a message. Raises ValueError."""
    now = event.get("message") or {}
    edited = (now.get("edited") or {}).get("ts") if now.get("subtype") in SPOKEN else None
    return moment(str(edited or event["event_ts"]))


def _as_said(event: Mapping[str, Any], message: Any) -> dict[str, Any] | None:
    if not isinstance(message, Mapping) or not message.get("user") or message.get("bot_id"):
        return None
    if message.get("subtype") not in SPOKEN:        # such as "tombstone", which a deleted root of a thread becomes
        return None
    told = {"type": "message", "channel": event["channel"], "channel_type": event.get("channel_type"),
            "user": message["user"], "ts": message["ts"], "text": str(message.get("text") or "")}
    return told | ({"thread_ts": message["thread_ts"]} if message.get("thread_ts") else {})
