"""Blocks, and whether Slack would take them. What the bot has no need of is refused, too."""

from collections.abc import Callable, Mapping
from typing import Any

from bots.slack.simulator.inputs import check_input
from bots.slack.simulator.refused import Refused, check_name, check_text, require

LARGEST_MARKDOWN, LARGEST_IN_ALL, MOST_BLOCKS = 12_000, 13_000, 50
_LARGEST_LABEL, _LARGEST_VALUE, _LARGEST_ADDRESS = 75, 2000, 3000
_STYLES = {"bold", "italic", "strike", "code"}
_FIELDS: Mapping[str, set[str]] = {
    "markdown": {"text"},
    "section": {"text"},
    "context": {"elements"},
    "actions": {"elements"},
    "divider": set(),
    "header": {"text"},
    "rich_text": {"elements"},
    "context_actions": {"elements"},
    "input": {"label", "element", "optional", "hint", "dispatch_action"},
}
Block = Mapping[str, Any]


def check_blocks(blocks: Any) -> None:
    """Those of a message. Raises Refused for what Slack would not take."""
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format")
    require(len(blocks) <= MOST_BLOCKS)
    check_each(blocks)
    texts = [block["text"] for block in blocks if block["type"] == "markdown"]
    if sum(map(len, texts)) > LARGEST_MARKDOWN or size(blocks) > LARGEST_IN_ALL:
        raise Refused("msg_blocks_too_long")


def check_each(blocks: list[Any]) -> None:
    """Whatever they are blocks of."""
    for block in blocks:
        try:
            _check(block)
        except (KeyError, TypeError, AttributeError):
            raise Refused("invalid_blocks") from None
    _all_apart([block["block_id"] for block in blocks if "block_id" in block])


def size(thing: Any) -> int:
    """Characters of all text in it."""
    if isinstance(thing, dict):
        return sum(len(value) if key == "text" and isinstance(value, str) else size(value)
                   for key, value in thing.items())
    return sum(map(size, thing)) if isinstance(thing, list) else 0


def _check(block: Any) -> None:
    kind = block.get("type", "") if isinstance(block, dict) else ""
    require(kind in _FIELDS and block.keys() <= _FIELDS[kind] | {"type", "block_id"})
    check_name(block, "block_id")
    match kind:
        case "markdown":
            require(isinstance(block["text"], str) and 0 < len(block["text"]) <= LARGEST_MARKDOWN)
        case "section":
            check_text(block["text"], 3000)
        case "header":
            check_text(block["text"], 150, "plain_text")
        case "context":
            _each(block, 10, lambda element: check_text(element, 3000))
        case "actions":
            _each(block, 25, _button)
            _all_apart([element["action_id"] for element in block["elements"]])
        case "context_actions":
            _each(block, 5, _feedback)
            _all_apart([element["action_id"] for element in block["elements"]])
        case "rich_text":
            _each(block, None, _rich)
        case "input":
            check_input(block)


def _each(block: Block, most: int | None, check: Callable[[Block], None]) -> None:
    elements = block["elements"]
    require(isinstance(elements, list) and 0 < len(elements) <= (most or len(elements)))
    for element in elements:
        check(element)


def _all_apart(names: list[str]) -> None:
    require(len(names) == len(set(names)))


def _rich(element: Block) -> None:
    if element["type"] == "rich_text_list":
        require(element["style"] in ("bullet", "ordered"))
        return _each(element, None, _rich)
    require(element["type"] in ("rich_text_section", "rich_text_preformatted", "rich_text_quote"))
    return _each(element, None, _word)


def _word(part: Block) -> None:
    if part["type"] == "user":
        return require(part.keys() == {"type", "user_id"} and bool(part["user_id"]))
    require(part["type"] in ("text", "link") and part.keys() <= {"type", "text", "url", "style", "unsafe"})
    style = part.get("style", {})
    require(style.keys() <= _STYLES and all(isinstance(one, bool) for one in style.values()))
    if part["type"] == "text":
        return require(isinstance(part["text"], str) and bool(part["text"]) and "url" not in part)
    return require(part["url"].startswith(("http://", "https://")) and len(part["url"]) <= _LARGEST_ADDRESS)


def _button(one: Block) -> None:
    require(one["type"] == "button" and one.keys() <= {"type", "text", "action_id", "value", "style"})
    check_text(one["text"], _LARGEST_LABEL, "plain_text")
    check_name(one, "action_id")
    require(isinstance(one["action_id"], str) and one.get("style", "primary") in ("primary", "danger"))
    require(0 < len(one.get("value", "-")) <= _LARGEST_VALUE)


def _feedback(one: Block) -> None:
    sides = {"positive_button", "negative_button"}
    require(one["type"] == "feedback_buttons" and one.keys() == {"type", "action_id"} | sides)
    check_name(one, "action_id")
    for side in sides:
        button = one[side]
        require(button.keys() <= {"text", "value", "accessibility_label"})
        check_text(button["text"], _LARGEST_LABEL, "plain_text")
        require(0 < len(button["value"]) <= _LARGEST_VALUE)
        require(len(button.get("accessibility_label", "")) <= _LARGEST_LABEL)
