"""What one person alone is shown in a conversation."""

from collections.abc import Mapping
from typing import Any

from bots.slack.api import SlackApi
from bots.slack.place import Place, question_id
from vouch.adapters.ledger import NewNotice

TOLD_ALONE = "told_alone"


def to_be_told(why: str, place: Place, about: str, user: str, text: str) -> NewNotice:
    """Told once the ledger has it, whatever fails meanwhile. One person is told once of each question for each `why`.
    """
    return NewNotice(f"{why}.{about}"[:300], TOLD_ALONE, {
        "question_id": about, "thread": place.thread, "user": user, "text": text,
    })  # fmt: skip


def show(
    api: SlackApi, place: Place, about: str, user: str, text: str, *, answered: bool = False, **more: Any
) -> None:
    """`about`: the question's id. `answered`: vouch has posted in its thread what all there see."""
    if place.channel.startswith("D"):       # nobody else reads there, and what is posted stays
        api.call("chat.postMessage", channel=place.channel, thread_ts=place.thread_ts or None, text=text,
                 unfurl_links=False, unfurl_media=False, **more)
        return
    api.call("chat.postEphemeral", channel=place.channel, user=user, text=text,
             thread_ts=_thread(place, about, answered) or None, **more)


def tell_presser(api: SlackApi, body: Mapping[str, Any], text: str) -> None:
    """Whoever pressed a button, beside the message it is on: one that all there see, or one that they alone see."""
    thread = (body.get("message") or body.get("container") or {}).get("thread_ts")
    api.call("chat.postEphemeral", channel=body["channel"]["id"], user=body["user"]["id"], text=text, thread_ts=thread)


def _thread(place: Place, about: str, answered: bool) -> str:
    """None for a message that nobody has replied to: until somebody has, Slack shows one person nothing there."""
    begins = about == question_id(place, place.thread_ts)
    return "" if begins and not answered else place.thread_ts
