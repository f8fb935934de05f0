"""What somebody sees of a conversation, its lines and its buttons, for a terminal. Pure."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bots.slack.simulator.drawing import draw
from bots.slack.simulator.workspace import BOT_USER, Channel, Message, User
from bots.wrapping import Line, wrap

DIRECT = "direct"
_MENTION = re.compile(r"<@([A-Z0-9]{1,40})(?:\|[^<>]{0,200})?>")
_CHANNEL = re.compile(r"<#[A-Z0-9]{1,40}\|([^<>|]{1,200})>")
_TYPED = re.compile(r"(?<!\w)(?:@\w+|#[\w-]+)")
_ESCAPED = re.compile(r"\\([\\`*_~|\[\](){}#+.!=-])")
_UNSEEN = "\u2060"


def title(channel: Channel, users: Mapping[str, User], viewer: User) -> Line:
    """The conversation, who is in it, and who looks at it."""
    inside = [users[id_].name + (" (guest)" if users[id_].guest else "") for id_ in channel.members if id_ != BOT_USER]
    shared = ", shared with another organisation" if channel.shared else ""
    return Line(f"--- {name_of(channel, viewer)} · {', '.join(inside)}{shared} · seen by {viewer.name}", "strong")


def name_of(channel: Channel, viewer: User | None = None) -> str:
    if channel.kind == "mpim":
        return channel.name
    if channel.kind != "im":
        return f"#{channel.name}"
    return "direct messages" if viewer is None or viewer.id in channel.members else DIRECT


def drawn(
    messages: Sequence[tuple[int, Message]], users: Mapping[str, User], width: int
) -> list[Line]:
    """Numbered messages in their order; those of a thread are set in."""
    return [line for number, message in messages for line in _drawn(number, message, users, width)]


def _drawn(number: int, message: Message, users: Mapping[str, User], width: int) -> Iterator[Line]:
    inside = "  " if message.thread_ts not in (None, message.ts) else ""
    alone = ", only you see this" if message.only_for else ""
    edited = " (edited)" if message.edited else ""
    author = "Slack" if message.deleted else users[message.user].name
    yield Line(f"{inside}[{number}] {author}{alone}{edited}", "strong")
    margin = f"{inside}    "
    for line in readable(message.shown(), users).split("\n"):
        yield from (Line(part) for part in wrap(line, width, first=margin, rest=margin))
    for name, those in message.reactions.items():
        yield Line(f"{margin}:{name}: {', '.join(users[one].name for one in those)}")


def readable(text: str, users: Mapping[str, User]) -> str:
    """As Slack shows it: without the marks that keep it from being read as orders."""
    named = _MENTION.sub(lambda found: f"@{users[found[1]].name}" if found[1] in users else found[0], text)
    return html.unescape(_ESCAPED.sub(r"\1", _CHANNEL.sub(r"#\1", named))).replace(_UNSEEN, "")


def typed(text: str, users: Mapping[str, User], channels: Iterable[Channel] = ()) -> str:
    """What Slack makes of what was typed: @NAME of somebody in the workspace is a mention, #NAME is a channel."""
    marks = {f"@{user.name.lower()}": f"<@{id_}>" for id_, user in users.items()}
    marks |= {f"#{one.name}": f"<#{one.id}|{one.name}>" for one in channels if one.kind in ("channel", "private")}
    said = html.escape(text, quote=False)
    return _TYPED.sub(lambda found: marks.get(found[0].lower(), found[0]), said)


def suggested(prompts: Mapping[str, str]) -> list[Line]:
    """What the app offers to ask, as buttons."""
    return [Line("for example " + " ".join(f"[{label}]" for label in prompts))] if prompts else []


def home_tab(view: Mapping[str, Any], viewer: User, width: int) -> list[Line]:
    lines = [Line(f"--- the home tab of vouch · seen by {viewer.name}", "strong")]
    for line in readable(draw(view["blocks"]), {}).split("\n"):
        lines += [Line(part) for part in wrap(line, width)]
    return lines


Action = dict[str, Any]


def buttons(message: Message) -> Iterator[tuple[str, Action]]:
    """What is written on each, and what a press of it tells the app."""
    for block in message.blocks:
        if block["type"] not in ("actions", "context_actions"):
            continue
        for element in block["elements"]:
            for label, value in _parts(element):
                yield label, {"type": element["type"], "action_id": element["action_id"], "value": value}


def _parts(element: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if element["type"] == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            yield element[side]["text"]["text"], element[side]["value"]
    elif element["type"] == "button":
        yield element["text"]["text"], str(element.get("value", ""))


def filled(view: Mapping[str, Any], told: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The window as sent, with what it held before where nothing else is told.

    Each of `told` is the beginning of an option or of a label, and words, which go where that label is, or else into
    the first place for words. Raises KeyError for what begins neither, and where a choice is left open.
    """
    inputs = [block for block in view["blocks"] if (block.get("element") or {}).get("type") in _BEFORE]
    values = {block["block_id"]: _before(block["element"]) for block in inputs}
    texts = [block for block in inputs if block["element"]["type"] == "plain_text_input"]
    radios = [block for block in inputs if block["element"]["type"] == "radio_buttons"]
    for beginning, words in told:
        options = [(block, one) for block in radios for one in block["element"]["options"]
                   if _begins(one["text"], beginning)]
        places = [] if options else [block for block in texts if beginning and _begins(block["label"], beginning)]
        if options:
            block, one = options[0]
            values[block["block_id"]] = {"selected_option": {"value": one["value"]}}
        elif radios and not places:
            raise KeyError(beginning)
        if (words or places) and texts:
            values[(places or texts)[0]["block_id"]] = {"value": words or None}
    if left := [block for block in radios if not values[block["block_id"]]["selected_option"]]:
        raise KeyError(left[0]["label"]["text"])
    return {block["block_id"]: {block["element"]["action_id"]: values[block["block_id"]]} for block in inputs}


_BEFORE = {                             # what is sent of each kind of field, and where the window says what it was
    "radio_buttons": ("selected_option", "initial_option"), "plain_text_input": ("value", "initial_value"),
    "multi_users_select": ("selected_users", "initial_users"),
}  # fmt: skip


def _before(element: Mapping[str, Any]) -> dict[str, Any]:
    sent, held = _BEFORE[element["type"]]
    return {sent: element.get(held)}


def _begins(told: Mapping[str, Any], beginning: str) -> bool:
    return str(told["text"]).lower().startswith(beginning.lower())
