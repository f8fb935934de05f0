"""Messages that an app posts: for all in a conversation, or for one of them alone."""

from typing import Any

from bots.slack.simulator.api import Api, Arguments, writable
from bots.slack.simulator.arguments import check_metadata, check_thread, words
from bots.slack.simulator.previews import Previews
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.workspace import BOT_USER, Channel, Message


def post_message(api: Api, given: Arguments) -> dict[str, Any]:
    channel, text, metadata = writable(api, given["channel"]), words(given), given.get("metadata")
    check_metadata(metadata)
    parent = parent_of(api, channel, given.get("thread_ts"))
    message = api.workspace.put(Message(
        api.workspace.moment(), channel.id, BOT_USER, text, given.get("blocks", []), parent, metadata,
        previews=Previews(given.get("unfurl_links"), given.get("unfurl_media")),
    ))
    api.workspace.clear_status(channel.id, parent or "")
    return {"channel": channel.id, "ts": message.ts, "message": message.json(metadata=True)}


def post_ephemeral(api: Api, given: Arguments) -> dict[str, Any]:
    channel, text = writable(api, given["channel"]), words(given)
    user = api.workspace.users.get(given["user"])
    if user is None or user.id not in channel.members or user.deleted or user.is_bot:
        raise Refused("user_not_in_channel")
    parent, moment = parent_of(api, channel, given.get("thread_ts")), api.workspace.moment()
    if parent is None or api.workspace.has_replies(channel.id, parent):     # else Slack takes it, and shows it nobody
        api.workspace.put(Message(
            moment, channel.id, BOT_USER, text, given.get("blocks", []), parent, None, given["user"],
        ))
    return {"message_ts": moment}


def parent_of(api: Api, channel: Channel, thread_ts: str | None) -> str | None:
    """Of a thread that is gone Slack makes a message of its own, in the thread all the same.

    A reply is none that others could reply to: what names one goes to the thread that it is in.
    """
    if thread_ts is None:
        return None
    named = api.workspace.find(channel.id, check_thread(thread_ts))
    return named.thread_ts or thread_ts if named is not None else thread_ts
