"""Messages that are written while people watch: chat.startStream, appendStream, stopStream; and update and delete."""

from typing import Any

from bots.slack.simulator.api import Api, Arguments, known, writable
from bots.slack.simulator.arguments import check_metadata, new_words
from bots.slack.simulator.blocks import LARGEST_IN_ALL, LARGEST_MARKDOWN, MOST_BLOCKS, check_blocks, size
from bots.slack.simulator.posting import parent_of
from bots.slack.simulator.refused import Refused
from bots.slack.simulator.workspace import BOT_USER, Message, Stream, Workspace

LARGEST_TASK_TEXT, MOST_TASKS = 256, MOST_BLOCKS
EXPIRES_S = 300.0                       # Slack does not say how long it waits for the next call; this is ours
STATES = ("pending", "in_progress", "complete", "error")
_NEEDED = {"id", "title", "status"}
_TASK = _NEEDED | {"details", "output"}


def start(api: Api, given: Arguments) -> dict[str, Any]:
    """A stream is a reply in a thread. In channels it needs to know for whom it is."""
    channel = writable(api, given["channel"])
    thread_ts = parent_of(api, channel, given["thread_ts"])
    for name in ("recipient_user_id", "recipient_team_id"):
        if channel.kind != "im" and not given.get(name):
            raise Refused(f"missing_{name}")
    if channel.kind != "im" and given["recipient_user_id"] not in channel.members:
        raise Refused("user_not_in_channel")
    if given.get("task_display_mode", "timeline") not in ("timeline", "plan"):
        raise Refused("invalid_arguments")
    message = Message(api.workspace.moment(), channel.id, BOT_USER, "", thread_ts=thread_ts, stream=Stream())
    _touch(api.workspace, message)
    _write(message, given)
    api.workspace.put(message)
    api.workspace.clear_status(channel.id, thread_ts or "")
    return {"channel": channel.id, "ts": message.ts}


def append(api: Api, given: Arguments) -> dict[str, Any]:
    message = _open(api, given)
    if not given.get("markdown_text") and not given.get("chunks"):
        raise Refused("no_text")
    _write(message, given)
    _touch(api.workspace, message)
    return {"channel": message.channel, "ts": message.ts}


def stop(api: Api, given: Arguments) -> dict[str, Any]:
    """Everything is checked before anything is changed."""
    message = _open(api, given)
    blocks, metadata = given.get("blocks", []), given.get("metadata")
    check_blocks(blocks)
    check_metadata(metadata)
    _write(message, given, size(blocks))
    message.blocks, message.metadata = blocks, metadata
    assert message.stream is not None
    message.stream.open = False
    return {"channel": message.channel, "ts": message.ts, "message": message.json(metadata=True)}


def update(api: Api, given: Arguments) -> dict[str, Any]:
    """Replaces what a message shows; one that is being streamed cannot be. Empty metadata take away what it has."""
    writable(api, given["channel"])
    message = _own(api.workspace, given, "cant_update_message")
    if is_open(api.workspace, message):
        raise Refused("streaming_state_conflict")
    text, metadata = new_words(given), given.get("metadata", message.metadata) or None
    check_metadata(metadata)
    message.text, message.blocks = text, given.get("blocks", [])
    message.metadata, message.stream = metadata, None
    return {"channel": message.channel, "ts": message.ts, "text": message.text}


def delete(api: Api, given: Arguments) -> dict[str, Any]:
    known(api, given["channel"])
    message = _own(api.workspace, given, "cant_delete_message")
    api.workspace.messages.remove(message)
    return {"channel": message.channel, "ts": message.ts}


def _own(workspace: Workspace, given: Arguments, refusal: str) -> Message:
    message = workspace.find(given["channel"], given["ts"])
    if message is None:
        raise Refused("message_not_found")
    if message.user != BOT_USER:
        raise Refused(refusal)
    return message


def _open(api: Api, given: Arguments) -> Message:
    writable(api, given["channel"])
    message = _own(api.workspace, given, "message_not_owned_by_app")
    if not is_open(api.workspace, message):
        raise Refused("message_not_in_streaming_state")
    return message


def is_open(workspace: Workspace, message: Message) -> bool:
    """One that nothing was written to for too long is not streamed any more."""
    stream = message.stream
    if stream is not None and workspace.clock() - stream.touched > EXPIRES_S:
        stream.open = False
    return stream is not None and stream.open


def _touch(workspace: Workspace, message: Message) -> None:
    assert message.stream is not None
    message.stream.touched = workspace.clock()


def _write(message: Message, given: Arguments, below: int = 0) -> None:
    """Adds what a call brings; raises Refused for what Slack would not take, and then adds nothing.

    `below`: characters of the blocks that come under it. How much a stream may hold in all Slack does not say; here it
    is as much as a message.
    """
    stream, chunks, text = message.stream, given.get("chunks", []), given.get("markdown_text", "")
    assert stream is not None
    if chunks and text:
        raise Refused("invalid_arguments")
    if len(text) > LARGEST_MARKDOWN:
        raise Refused("msg_too_long")
    if not all(map(_is_right, chunks)):
        raise Refused("invalid_chunks")
    tasks = stream.tasks | {task["id"]: task for task in chunks if task["type"] == "task_update"}
    if len(tasks) > MOST_TASKS:
        raise Refused("invalid_chunks")
    whole = stream.text + text + "".join(c["text"] for c in chunks if c["type"] == "markdown_text")
    if len(whole) + below > LARGEST_IN_ALL:
        raise Refused("msg_too_long")
    stream.tasks, stream.text = tasks, whole
    stream.title = next((c["title"] for c in chunks if c["type"] == "plan_update"), stream.title)


def _is_right(chunk: Any) -> bool:
    if not isinstance(chunk, dict) or not all(isinstance(value, str) for value in chunk.values()):
        return False
    kind, names = chunk.get("type", ""), chunk.keys() - {"type"}
    match kind:
        case "markdown_text":
            return names == {"text"} and 0 < len(chunk["text"]) <= LARGEST_MARKDOWN
        case "plan_update":
            return names == {"title"} and 0 < len(chunk["title"]) <= LARGEST_TASK_TEXT
        case "task_update":
            texts = [chunk.get(name, "") for name in ("title", "details", "output")]
            return _NEEDED <= names <= _TASK and bool(chunk["id"]) and bool(chunk["title"]) \
                and chunk["status"] in STATES and all(len(text) <= LARGEST_TASK_TEXT for text in texts)
    return False
