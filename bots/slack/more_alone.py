"""Who asked in a conversation is told, alone, that more stands in what others there may not read."""

import re

from bots.slack.api import SlackApi
from bots.slack.layout import PRIVATELY, Block
from bots.slack.place import Place

MORE = "You may read more about this than everybody here. Only you see this message."
_SAID = re.compile(r"[0-9]{1,12}\.[0-9]{1,8}")          # the name of a question that is a message


def tell_asker(api: SlackApi, place: Place, question_id: str, answer_id: str) -> bool:
    """Whether there is somebody to tell. Slack tells nobody whether it arrived: after a lost reply it may come twice.

    Raises SurfaceDown, and Denied where the conversation is gone or the asker has left it.
    """
    user = _asker(api, place, question_id)
    if user:
        api.call("chat.postEphemeral", channel=place.channel, user=user, text=MORE, blocks=_blocks(answer_id),
                 thread_ts=place.thread_ts or None)
    return bool(user)


def _asker(api: SlackApi, place: Place, question_id: str) -> str:
    """Who wrote the message that the question is; empty for one that is no message."""
    ts = question_id.rpartition(":")[2]
    if not _SAID.fullmatch(ts):
        return ""
    told = api.call("conversations.replies", channel=place.channel, ts=place.thread_ts or ts, oldest=ts, latest=ts,
                    inclusive=True, limit=2)            # the first message of a thread always comes too
    return next((str(one.get("user") or "") for one in told["messages"] if one.get("ts") == ts), "")


def _blocks(answer_id: str) -> list[Block]:
    words = {"type": "plain_text", "text": MORE, "emoji": False}
    label = {"type": "plain_text", "text": "Answer me privately", "emoji": False}
    button = {"type": "button", "action_id": PRIVATELY, "text": label, "value": answer_id}
    return [{"type": "section", "text": words}, {"type": "actions", "elements": [button]}]
