"""Blocks, windows and home tabs: how a person reads them, and whether Slack would take them."""

import time
from collections.abc import Mapping
from typing import Any

LARGEST_MARKDOWN, LARGEST_IN_ALL, MOST_BLOCKS = 12_000, 13_000, 50
_TEXTS = {"plain_text": {"type", "text", "emoji"}, "mrkdwn": {"type", "text", "verbatim"}}
_FIELDS: dict[str, set[str]] = {
    "markdown": {"text"},
    "section": {"text", "fields", "accessory", "expand"},
    "context": {"elements"},
    "actions": {"elements"},
    "divider": set(),
    "header": {"text"},
    "rich_text": {"elements"},
    "context_actions": {"elements"},
    "input": {"label", "element", "optional", "hint", "dispatch_action"},
}


class Refused(Exception):
    """Slack's word for what is wrong."""


def draw(blocks: list[dict[str, Any]]) -> str:
    """One block after another."""
    return "\n".join(_draw(block) for block in blocks)


def _draw(block: dict[str, Any]) -> str:
    match block["type"]:
        case "markdown":
            return str(block["text"])
        case "section" | "header":
            return str(block["text"]["text"])
        case "context":
            return " ".join(str(element["text"]) for element in block["elements"])
        case "rich_text":
            return "\n".join(_rich(element) for element in block["elements"])
        case "context_actions" | "actions":
            return " ".join(f"[{label}]" for element in block["elements"] for label in _labels(element))
        case _:
            return ""


def _labels(element: dict[str, Any]) -> list[str]:
    if element["type"] == "feedback_buttons":
        return [element[side]["text"]["text"] for side in ("positive_button", "negative_button")]
    return [element["text"]["text"]]


def _rich(element: dict[str, Any]) -> str:
    if element["type"] == "rich_text_list":
        return "\n".join(_rich(one) for one in element["elements"])
    return "".join(_word(one) for one in element["elements"])


def _word(one: dict[str, Any]) -> str:
    if one["type"] == "user":
        return f"<@{one['user_id']}>"
    return f"{one.get('text', one['url'])} <{one['url']}>" if one["type"] == "link" else str(one["text"])


def check_blocks(blocks: Any, most: int = MOST_BLOCKS) -> None:
    """Raises Refused for blocks that Slack would not take."""
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format")
    if len(blocks) > most:
        raise Refused("invalid_blocks")
    for block in blocks:
        _check(block)
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        raise Refused("invalid_blocks")
    if sum(_size(block) for block in blocks) > LARGEST_IN_ALL:
        raise Refused("msg_blocks_too_long")


def _check(block: Any) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind not in _FIELDS or not block.keys() <= _FIELDS[kind] | {"type", "block_id"}:
        raise Refused("invalid_blocks")
    _require(len(block.get("block_id", "")) <= 255)
    match kind:
        case "markdown":
            _require(isinstance(block["text"], str) and 0 < len(block["text"]) <= LARGEST_MARKDOWN)
        case "section":
            _text(block["text"], 3000)
        case "header":
            _text(block["text"], 150, "plain_text")
        case "context":
            _require(0 < len(block["elements"]) <= 10)
            for element in block["elements"]:
                _text(element, 3000)
        case "actions":
            _require(0 < len(block["elements"]) <= 25)
            for element in block["elements"]:
                _button(element)
        case "context_actions":
            _require(0 < len(block["elements"]) <= 5)
            for element in block["elements"]:
                _feedback(element)
        case "rich_text":
            for element in block["elements"]:
                _check_rich(element)


def _check_rich(element: dict[str, Any]) -> None:
    if element["type"] == "rich_text_list":
        _require(element["style"] in ("bullet", "ordered"))
        for part in element["elements"]:
            _check_rich(part)
        return
    _require(element["type"] in ("rich_text_section", "rich_text_preformatted", "rich_text_quote"))
    for part in element["elements"]:
        _require(part["type"] in ("text", "link", "user"))   # what the bot has no need of is refused
        if part["type"] == "user":
            _require(part.keys() == {"type", "user_id"} and bool(part["user_id"]))
            continue
        _require(part.keys() <= {"type", "text", "url", "style", "unsafe"})
        _require(bool(part.get("text")) if part["type"] == "text" else part["url"].startswith(("http://", "https://")))


def _text(text: dict[str, Any], most: int, kind: str = "") -> None:
    _require(text["type"] in _TEXTS and text.keys() <= _TEXTS[text["type"]])
    _require(not kind or text["type"] == kind)
    _require(0 < len(text["text"]) <= most)


def _button(one: dict[str, Any]) -> None:
    _require(one["type"] == "button" and one.keys() <= {"type", "text", "action_id", "value", "style", "url"})
    _text(one["text"], 75, "plain_text")
    _require(0 < len(one["action_id"]) <= 255 and len(one.get("value", "")) <= 2000)


def _feedback(one: dict[str, Any]) -> None:
    _require(one["type"] == "feedback_buttons" and one.keys() <= {"type", "action_id", "positive_button",
                                                                  "negative_button"})
    for side in ("positive_button", "negative_button"):
        button = one[side]
        _require(button.keys() <= {"text", "value", "accessibility_label"})
        _text(button["text"], 75, "plain_text")
        _require(0 < len(button["value"]) <= 2000)


def _require(right: bool) -> None:
    if not right:
        raise Refused("invalid_blocks")


def _size(thing: Any) -> int:
    """Characters of all text in it."""
    if isinstance(thing, dict):
        return sum(len(value) if key == "text" and isinstance(value, str) else _size(value)
                   for key, value in thing.items())
    return sum(map(_size, thing)) if isinstance(thing, list) else 0


MOST_BLOCKS_OF_VIEW = 100
_TRIGGER_S = 3.0
_PARTS = {
    "modal": {"title", "submit", "close", "private_metadata", "callback_id", "blocks", "clear_on_close",
              "notify_on_close", "external_id", "submit_disabled"},
    "home": {"private_metadata", "callback_id", "blocks", "external_id"},
}  # fmt: skip


def check_view(view: Mapping[str, Any]) -> None:
    """Raises Refused."""
    kind = str(view.get("type"))
    if kind not in _PARTS or not view.keys() <= _PARTS[kind] | {"type"}:
        raise Refused("invalid_arguments")
    if kind == "modal" and not 0 < len(view["title"]["text"]) <= 24:
        raise Refused("invalid_arguments")
    labels = [view[name]["text"] for name in ("submit", "close") if name in view]
    if any(not 0 < len(label) <= 24 for label in labels):
        raise Refused("invalid_arguments")
    asks = any(block.get("type") == "input" for block in view["blocks"])
    if len(view.get("private_metadata", "")) > 3000 or (asks and kind == "modal" and "submit" not in view):
        raise Refused("invalid_arguments")
    check_blocks(view["blocks"], MOST_BLOCKS_OF_VIEW)


class Triggers:
    """What a person did that lets the app open a window: once, and within three seconds."""

    def __init__(self) -> None:
        self._made: dict[str, float] = {}

    def give(self, trigger: str) -> str:
        self._made[trigger] = time.monotonic()
        return trigger

    def use(self, trigger: str) -> None:
        """Raises Refused."""
        made = self._made.pop(trigger, None)
        if made is None:
            raise Refused("invalid_trigger_id")
        if time.monotonic() - made > _TRIGGER_S:
            raise Refused("expired_trigger_id")
