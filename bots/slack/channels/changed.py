"""Edits and deletions: what a person said is the question for as long as nobody has begun to answer it."""

from collections.abc import Mapping
from typing import Any

from bots.slack.questions import SPOKEN

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


def _as_said(event: Mapping[str, Any], message: Any) -> dict[str, Any] | None:
    if not isinstance(message, Mapping) or not message.get("user") or message.get("bot_id"):
        return None
    if message.get("subtype") not in SPOKEN:        # such as "tombstone", which a deleted root of a thread becomes
        return None
    told = {"type": "message", "channel": event["channel"], "channel_type": event.get("channel_type"),
            "user": message["user"], "ts": message["ts"], "text": str(message.get("text") or "")}
    return told | ({"thread_ts": message["thread_ts"]} if message.get("thread_ts") else {})
