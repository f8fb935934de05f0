"""What of a question is in its thread already: its answer, and messages with stages that have none yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bots.slack.api import SlackApi
from bots.slack.metadata import payload_of
from bots.slack.place import Place
from bots.slack.progress.cards import is_of
from vouch.errors import Denied


@dataclass(frozen=True, slots=True)
class Seen:
    """`unfinished`: messages that show its stages and no answer, newest first."""

    answered: bool
    unfinished: tuple[Mapping[str, Any], ...]


def look(api: SlackApi, place: Place, question_id: str, since: float | None = None, known: str = "") -> Seen:
    """Of what was posted in the thread after `since`, in seconds of the epoch. Raises SurfaceDown.

    The message at `known` shows the question's stages, whatever Slack tells of its cards.
    """
    given: dict[str, Any] = {
        "channel": place.channel, "ts": place.thread_ts, "limit": 200, "include_all_metadata": True,
    }  # fmt: skip
    if since is not None:
        given["oldest"] = f"{since:.6f}"
    try:
        rows = list(api.pages("conversations.replies", "messages", **given))
    except Denied:                      # the channel or the thread is gone, and so is whatever was in it
        return Seen(answered=False, unfinished=())
    own = [one for one in rows if one.get("user") == api.me["user_id"]]
    answered = any(payload_of(one).get("question_id") == question_id for one in own)
    unfinished = [one for one in own if not payload_of(one) and (one.get("ts") == known or is_of(question_id, one))]
    return Seen(answered, tuple(sorted(unfinished, key=lambda one: str(one["ts"]), reverse=True)))
