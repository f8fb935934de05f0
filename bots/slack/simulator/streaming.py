"""Messages that are written while people watch: chat.startStream, appendStream, stopStream; and update and delete."""

from collections.abc import Mapping
from typing import Any, Protocol

from bots.slack.simulator.drawing import Refused, check_blocks
from bots.slack.simulator.workspace import BOT_USER, Channel, Message, Stream, Workspace

Arguments = Mapping[str, Any]
LARGEST_MARKDOWN, LARGEST_TASK_TEXT, MOST_TASKS = 12_000, 256, 50
EXPIRES_S = 300.0                       # Slack does not say how long it waits for the next call; this is ours
STATES = ("pending", "in_progress", "complete", "error")
_TASK = {"type", "id", "title", "status", "details", "output", "sources"}


class Api(Protocol):
    """What of the Web API messages are written by."""

    @property
    def workspace(self) -> Workspace: ...

    def writable(self, channel: str) -> Channel: ...


def start(api: Api, given: Arguments) -> dict[str, Any]:
    """A stream is a reply in a thread. In channels it needs to know for whom it is."""
    channel = _writable(api, given)
    if not given["thread_ts"]:
        raise Refused("invalid_thread_ts")
    for name in ("recipient_user_id", "recipient_team_id"):
        if channel.kind != "im" and not given.get(name):
            raise Refused(f"missing_{name}")
    if channel.kind != "im" and given["recipient_user_id"] not in channel.members:
        raise Refused("user_not_in_channel")
    if given.get("task_display_mode", "timeline") not in ("timeline", "plan"):
        raise Refused("invalid_arguments")
    message = Message(api.workspace.moment(), channel.id, BOT_USER, "", thread_ts=given["thread_ts"], stream=Stream())
    _touch(api.workspace, message)
    _write(message, given)
    api.workspace.put(message)
    api.workspace.clear_status(channel.id, given["thread_ts"])
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
    check_blocks(given.get("blocks", []))
    check_metadata(given.get("metadata"))
    _write(message, given)
    message.blocks, message.metadata = given.get("blocks", []), given.get("metadata")
    assert message.stream is not None
    message.stream.open = False
    return {"channel": message.channel, "ts": message.ts, "message": message.json(metadata=True)}


def update(api: Api, given: Arguments) -> dict[str, Any]:
    """Replaces what a message shows; one that is being streamed cannot be."""
    _writable(api, given)
    message = _own(api.workspace, given, "cant_update_message")
    if is_open(api.workspace, message):
        raise Refused("streaming_state_conflict")
    if not given.get("text") and not given.get("blocks"):
        raise Refused("no_text")
    check_blocks(given.get("blocks", []))
    check_metadata(given.get("metadata"))
    message.text, message.blocks = str(given.get("text", ""))[:40_000], given.get("blocks", [])
    message.metadata, message.stream = given.get("metadata", message.metadata), None
    return {"channel": message.channel, "ts": message.ts, "text": message.text}


def delete(api: Api, given: Arguments) -> dict[str, Any]:
    message = _own(api.workspace, given, "cant_delete_message")
    api.workspace.messages.remove(message)
    return {"channel": message.channel, "ts": message.ts}


def check_metadata(metadata: Any) -> None:
    if metadata is not None and metadata.keys() != {"event_type", "event_payload"}:
        raise Refused("invalid_metadata_format")


def _writable(api: Api, given: Arguments) -> Channel:
    channel = api.writable(given["channel"])
    if channel.archived:
        raise Refused("is_archived")
    return channel


def _own(workspace: Workspace, given: Arguments, refusal: str) -> Message:
    message = workspace.find(given["channel"], given["ts"])
    if message is None:
        raise Refused("message_not_found")
    if message.user != BOT_USER:
        raise Refused(refusal)
    return message


def _open(api: Api, given: Arguments) -> Message:
    _writable(api, given)
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


def _write(message: Message, given: Arguments) -> None:
    """Adds what a call brings; raises Refused for what Slack would not take, and then adds nothing."""
    assert message.stream is not None
    chunks, text = given.get("chunks", []), given.get("markdown_text", "")
    if chunks and text:
        raise Refused("invalid_arguments")
    if len(text) > LARGEST_MARKDOWN:
        raise Refused("msg_too_long")
    for chunk in chunks:
        _check(chunk)
    tasks = message.stream.tasks | {task["id"]: task for task in chunks if task["type"] == "task_update"}
    if len(tasks) > MOST_TASKS:
        raise Refused("invalid_chunks")
    message.stream.tasks = tasks
    message.stream.title = next((c["title"] for c in chunks if c["type"] == "plan_update"), message.stream.title)
    message.stream.text += text + "".join(c["text"] for c in chunks if c["type"] == "markdown_text")


def _check(chunk: dict[str, Any]) -> None:
    match chunk.get("type"):
        case "markdown_text":
            right = chunk.keys() == {"type", "text"} and 0 < len(chunk["text"]) <= LARGEST_MARKDOWN
        case "plan_update":
            right = chunk.keys() == {"type", "title"} and 0 < len(chunk["title"]) <= LARGEST_TASK_TEXT
        case "task_update":
            texts = [chunk.get(name, "") for name in ("title", "details", "output")]
            right = chunk.keys() <= _TASK and bool(chunk["id"]) and bool(chunk["title"]) \
                and chunk["status"] in STATES and all(len(text) <= LARGEST_TASK_TEXT for text in texts)
        case _:
            right = False
    if not right:
        raise Refused("invalid_chunks")
